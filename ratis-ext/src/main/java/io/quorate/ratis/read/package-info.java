/**
 * From which log index a read at the leader is linearizable.
 *
 * <p>Ratis 3.3.0 has an answer of its own that is wrong: once a commit index has been confirmed, it
 * is handed out again without asking the followers, also by a leader that has been replaced
 * meanwhile. So the confirmation is made here, on Ratis' heartbeats.
 */
package io.quorate.ratis.read;
