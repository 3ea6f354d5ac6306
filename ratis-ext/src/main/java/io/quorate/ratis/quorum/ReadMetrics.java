package io.quorate.ratis.quorum;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.Telemetry;
import java.util.Map;

/** What reads of a replica, that need not go to its leader, have cost. */
public final class ReadMetrics {
  private final Telemetry.Counter shares;
  private final Telemetry.Counter refusedShares;
  private final Telemetry.Counter quorumReads;
  private final Telemetry.Counter passedToLeader;
  private final Telemetry.Counter questions;

  public ReadMetrics(Telemetry telemetry, GroupId group) {
    Map<String, String> tags = Map.of("region", group.toString());
    shares =
        telemetry.counter(
            "raft.reads.shares", "Shares given to quorum reads, to others and to itself", tags);
    refusedShares =
        telemetry.counter("raft.reads.shares.refused", "Shares that could not be given", tags);
    quorumReads = telemetry.counter("raft.reads.quorum", "Quorum reads that began here", tags);
    passedToLeader =
        telemetry.counter(
            "raft.reads.quorum.to-leader", "Quorum reads that went to the leader in the end", tags);
    questions =
        telemetry.counter(
            "raft.reads.index.requests", "Requests to the leader for its commit index", tags);
  }

  /** Shares that were asked for, and whether they were given. */
  void shares(int asked, boolean given) {
    (given ? shares : refusedShares).add(asked);
  }

  void quorumRead() {
    quorumReads.add(1);
  }

  /** A quorum read that asked the leader in the end. */
  void passedToLeader() {
    passedToLeader.add(1);
  }

  /** The leader was asked up to where it has committed, by however many reads at a time. */
  void question() {
    questions.add(1);
  }
}
