/**
 * Reads that do not burden the leader (Raft reads (L1 to L11)): read replies of any replica, quorum
 * reads, and reads of a follower's state at an index that the leader has confirmed. The pending
 * writes of a replica are read from its log. Confirmation of read indexes at the leader is in
 * {@code read}; the engine-independent merging of read replies is in {@code io.quorate.quorum}.
 */
package io.quorate.ratis.quorum;
