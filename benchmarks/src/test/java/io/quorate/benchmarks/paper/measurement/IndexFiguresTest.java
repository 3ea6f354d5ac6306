package io.quorate.benchmarks.paper.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class IndexFiguresTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void ratesAreOfTheWholeTimeAndGapsOfAllSamples() {
    Map<Metric, Double> figures =
        IndexFigures.of(
            List.of(
                new IndexSample(0, 1000, 1000),
                new IndexSample(SECOND, 1100, 1085),
                // The applied index is read later and may be ahead by then.
                new IndexSample(2 * SECOND, 1200, 1201)));

    assertThat(figures)
        .containsEntry(Metric.READ_INDEX, 100.0)
        .containsEntry(Metric.APPLIED_INDEX, 100.5)
        .containsEntry(Metric.GAP, 5.0)
        .containsEntry(Metric.GAP_MAX, 15.0)
        .containsEntry(Metric.LAG, 50.0);
  }

  @Test
  void readsAloneHaveNoLagAndOneSampleHasNoFigures() {
    assertThat(IndexFigures.of(List.of(new IndexSample(0, 7, 7), new IndexSample(SECOND, 7, 7))))
        .containsEntry(Metric.GAP, 0.0)
        .doesNotContainKey(Metric.LAG);
    assertThat(IndexFigures.of(List.of(new IndexSample(0, 7, 7)))).isEmpty();
  }

  @Test
  void theSampleIsOfTheLeaderOfTheRegion() {
    ClusterStatus status =
        new ClusterStatus(
            List.of(
                node("n1", replica(0, "n1", 5)),
                node("n2", replica(1, "n3", 6)),
                node("n3", replica(1, "n3", 9))));

    assertThat(IndexSample.of(status, 42)).contains(new IndexSample(42, 9, 8));
    assertThat(IndexSample.of(new ClusterStatus(List.of(node("n1", replica(0, "n1", 5)))), 42))
        .isEmpty();
  }

  private static ReplicaState replica(int region, String leader, long committed) {
    return new ReplicaState(
        new RegionDescriptor(
            new GroupId(region),
            new RegionEpoch(1),
            KeyRange.ALL,
            List.of(new NodeId(leader)),
            Optional.of(new NodeId(leader))),
        List.of(new NodeId(leader)),
        true,
        1,
        committed,
        committed - 1,
        -1,
        Optional.empty(),
        Optional.empty(),
        0,
        0,
        ReplicaState.SplitKeys.NONE,
        false,
        OptionalDouble.empty());
  }

  private static NodeReport node(String id, ReplicaState replica) {
    NodeState state =
        new NodeState(
            new NodeId(id),
            "test",
            "0",
            "raft",
            Map.of(),
            Duration.ZERO,
            Optional.empty(),
            false,
            0,
            List.of(),
            List.of(replica.region()),
            Map.of(),
            List.of(replica),
            Optional.empty(),
            NodeState.JoinState.JOINED,
            Map.of(),
            Optional.empty(),
            Optional.empty(),
            List.of(),
            List.of(),
            0,
            Map.of());
    return new NodeReport(
        Optional.of(state.id()),
        new NodeAddress("127.0.0.1", 1),
        Optional.of(state),
        Optional.empty());
  }
}
