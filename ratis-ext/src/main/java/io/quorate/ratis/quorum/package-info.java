/**
 * Reads that do not burden the leader (PROTOCOLS 5): shares of any replica, quorums of them, and
 * reads of a follower's state behind an index that the leader has confirmed. What a replica may yet
 * write is read from its log.
 */
package io.quorate.ratis.quorum;
