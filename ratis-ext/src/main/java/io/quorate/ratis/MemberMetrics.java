package io.quorate.ratis;

import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.ratis.flow.UnappliedLog;
import java.util.Map;
import java.util.function.DoubleSupplier;

/** Metrics of a replica as a whole. */
final class MemberMetrics {
  private final MetricsSink.Counter stalled;

  /**
   * @param lostFollowers those that have lost what they had acknowledged to this replica
   * @param contradicted 1 while this replica does not follow its leader because of what is
   *     committed
   * @param respondingFollowers not a number where this replica does not lead
   */
  MemberMetrics(
      MetricsSink telemetry,
      GroupId group,
      DoubleSupplier respondingFollowers,
      DoubleSupplier lostFollowers,
      DoubleSupplier contradicted,
      UnappliedLog unapplied) {
    Map<String, String> tags = Map.of("region", group.toString());
    this.stalled =
        telemetry.counter(
            "raft.leader.stalled",
            "Hand-overs because a disk did not respond or nothing was applied",
            tags);
    telemetry.gauge(
        "raft.followers.responding",
        "Followers that responded lately; not a number where this replica does not lead",
        tags,
        respondingFollowers);
    telemetry.gauge(
        "raft.followers.lost",
        "Followers that have lost entries which they had acknowledged to this leader",
        tags,
        lostFollowers);
    telemetry.gauge(
        "raft.leader.contradicts",
        "1 while this replica does not follow its leader, whose log contradicts committed entries",
        tags,
        contradicted);
    telemetry.gauge(
        "raft.unapplied.entries", "Entries received and not applied", tags, unapplied::entries);
    telemetry.gauge(
        "raft.unapplied.bytes",
        "Bytes of the entries received and not applied",
        tags,
        unapplied::bytes);
  }

  /** The replica transfers its leadership because it has stalled. */
  void stalled() {
    stalled.add(1);
  }
}
