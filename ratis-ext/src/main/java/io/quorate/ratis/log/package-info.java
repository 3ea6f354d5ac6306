/**
 * The log of a replica for Ratis, as records of the log of its node ({@link
 * io.quorate.replication.log}): entries, and the four states of {@link
 * io.quorate.ratis.log.ReplicaStates}, of which term and vote never go back. Ratis finds it through
 * {@code org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog}, which takes the place of its
 * own log of that name (decision 0085).
 */
package io.quorate.ratis.log;
