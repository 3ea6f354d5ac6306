package io.quorate.ratis.quorum;

import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import java.util.Map;

/** The metrics of the reads of a replica that do not need its leader. */
public final class ReadMetrics {
  private final MetricsSink.Counter replies;
  private final MetricsSink.Counter refusedReplies;
  private final MetricsSink.Counter quorumReads;
  private final MetricsSink.Counter passedToLeader;
  private final MetricsSink.Counter readIndexRequests;

  public ReadMetrics(MetricsSink telemetry, GroupId group) {
    Map<String, String> tags = Map.of("region", group.toString());
    replies =
        telemetry.counter(
            "raft.reads.shares",
            "Read replies to quorum reads, of other replicas and of this one",
            tags);
    refusedReplies =
        telemetry.counter(
            "raft.reads.shares.refused", "Read replies that this replica could not give", tags);
    quorumReads = telemetry.counter("raft.reads.quorum", "Quorum reads that began here", tags);
    passedToLeader =
        telemetry.counter(
            "raft.reads.quorum.to-leader", "Quorum reads that went to the leader in the end", tags);
    readIndexRequests =
        telemetry.counter(
            "raft.reads.index.requests", "Requests to the leader for its commit index", tags);
  }

  /**
   * Records read replies.
   *
   * @param requested how many were requested
   * @param given whether they were given
   */
  void replies(int requested, boolean given) {
    (given ? replies : refusedReplies).add(requested);
  }

  void quorumRead() {
    quorumReads.add(1);
  }

  /** Records a quorum read that fell back to the leader. */
  void passedToLeader() {
    passedToLeader.add(1);
  }

  /** Records a request to the leader for its commit index, shared by any number of reads. */
  void readIndexRequest() {
    readIndexRequests.add(1);
  }
}
