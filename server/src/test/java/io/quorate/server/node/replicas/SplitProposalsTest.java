package io.quorate.server.node.replicas;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupControl;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.GroupId;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.config.PlacementConfig.SplitRule;
import io.quorate.server.node.monitor.RegionSizes;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When a region is to be split because it is busy. Large ones are in RegionSplitTest. */
class SplitProposalsTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final GroupId REGION = new GroupId(1);
  private static final int RATE = 100;
  private static final int REQUESTS_PER_INTERVAL = 100_000;

  private final Group group = new Group();
  private final AtomicLong nanos = new AtomicLong();
  private final ClusterTopology topology =
      new ClusterTopology(
          new ClusterId("c"),
          N1,
          List.of(new ClusterNode(N1, "localhost", 1, 2, 3)),
          new ClusterTopology.Service(true, false, true, Optional.empty(), Optional.empty()));
  private final SplitProposals proposals =
      new SplitProposals(
          topology, new RegionSizes(topology), new SplitRule(0, RATE, Key.EMPTY), nanos::get);
  private final LocalReplica replica =
      new LocalReplica(
          new RegionAssignment(REGION, KeyRange.ALL, RegionEpoch.FIRST, List.of(N1)), group, null);

  SplitProposalsTest() {
    topology.host(replica);
  }

  private Optional<Key> afterInterval(int requests) {
    for (int i = 0; i < requests; i++) {
      replica.load().record(Key.utf8("k%03d".formatted(i % 1000)));
    }
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(10));
    proposals.run();
    return proposals.byLoad(REGION);
  }

  @Test
  void aRegionIsSplitAfterThreeBusyIntervals() {
    assertThat(afterInterval(REQUESTS_PER_INTERVAL)).isEmpty();
    assertThat(afterInterval(REQUESTS_PER_INTERVAL)).isEmpty();
    assertThat(afterInterval(REQUESTS_PER_INTERVAL).orElseThrow())
        .isBetween(Key.utf8("k200"), Key.utf8("k800"));
    assertThat(afterInterval(REQUESTS_PER_INTERVAL)).as("the next three begin").isEmpty();
  }

  @Test
  void aShortPeakSplitsNothing() {
    for (int i = 0; i < 4; i++) {
      assertThat(afterInterval(REQUESTS_PER_INTERVAL)).isEmpty();
      assertThat(afterInterval(10 * RATE - 1)).isEmpty();
    }
  }

  @Test
  void aReplicaThatDoesNotServeProposesNothing() {
    group.serving = false;
    for (int i = 0; i < 4; i++) {
      assertThat(afterInterval(REQUESTS_PER_INTERVAL)).isEmpty();
    }
  }

  private static final class Group implements ConsensusGroup {
    private boolean serving = true;

    @Override
    public GroupStatus view() {
      return new GroupStatus(1, List.of(), Optional.of(N1), serving, Position.NONE, false, false);
    }

    @Override
    public <T extends GroupControl> Optional<T> control(Class<T> type) {
      return Optional.empty();
    }

    @Override
    public CompletionStage<ProposeResult> propose(Command command) {
      throw new AssertionError("No command is proposed.");
    }

    @Override
    public CompletionStage<Position> readIndex(Guarantee guarantee, KeyScope scope) {
      throw new AssertionError("Nothing is read.");
    }

    @Override
    public void close() {}
  }
}
