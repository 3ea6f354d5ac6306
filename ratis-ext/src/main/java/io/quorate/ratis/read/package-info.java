/**
 * Confirmation of the log index from which a read at the leader is linearizable.
 *
 * <p>Ratis 3.3.0 has an implementation of its own that is wrong: once a commit index has been
 * confirmed, it is returned again without contacting the followers, even by a leader that has been
 * replaced meanwhile. Therefore the index is confirmed here, by requests to the nodes of the
 * followers or by Ratis' heartbeats (Raft reads (L1 to L11)). Reads that do not go to the leader
 * are in {@code quorum}.
 */
package io.quorate.ratis.read;
