package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.GroupControl;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.GroupId;
import io.quorate.model.Guarantee;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When leadership is transferred to the preferred leader, n2, by a node that leads, n1. */
class InitialLeaderBalancerTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");

  /** A transfer that waits for its outcome. */
  private record Transfer(NodeId target, CompletableFuture<Void> outcome) {}

  /** A region whose leader the test sets. */
  private final class Group implements ConsensusGroup, Leadership {
    private Optional<NodeId> leader = Optional.empty();

    @Override
    public CompletionStage<Void> transferTo(NodeId target, Duration timeout) {
      CompletableFuture<Void> outcome = new CompletableFuture<>();
      transfers.add(new Transfer(target, outcome));
      return outcome;
    }

    @Override
    public GroupStatus view() {
      return new GroupStatus(1, List.of(), leader, leader.isPresent(), Position.NONE, false, false);
    }

    @Override
    public <T extends GroupControl> Optional<T> control(Class<T> type) {
      return Optional.of(this).filter(type::isInstance).map(type::cast);
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

  private final Queue<Transfer> transfers = new ArrayDeque<>();
  private final Group group = new Group();
  private final AtomicLong nanos = new AtomicLong();
  private boolean isWritable = true;
  private final ServingState servingState = new ServingState();
  private final ClusterTopology topology =
      new ClusterTopology(
          new ClusterId("c"),
          N1,
          List.of(new ClusterNode(N1, "localhost", 1, 2, 3)),
          new ClusterTopology.Service(true, false, true, Optional.empty(), Optional.empty()));
  private final InitialLeaderBalancer balancer =
      new InitialLeaderBalancer(topology, servingState, node -> isWritable, nanos::get);

  InitialLeaderBalancerTest() {
    RegionAssignment assignment =
        new RegionAssignment(new GroupId(1), KeyRange.ALL, RegionEpoch.FIRST, List.of(N2, N1, N3));
    topology.host(new LocalReplica(assignment, group, null));
  }

  private void runWithLeader(NodeId leader) {
    group.leader = Optional.of(leader);
    balancer.run();
  }

  @Test
  void transfersOnceToThePreferredLeader() {
    balancer.run();
    assertThat(transfers).as("without a leader").isEmpty();

    runWithLeader(N1);
    balancer.run();
    assertThat(transfers).as("while one is in progress").hasSize(1);
    Transfer transfer = transfers.remove();
    assertThat(transfer.target()).isEqualTo(N2);

    transfer.outcome().complete(null);
    balancer.run();
    assertThat(transfers).as("after a success").isEmpty();
  }

  @Test
  void repeatsATransferThatFailed() {
    runWithLeader(N1);
    transfers.remove().outcome().completeExceptionally(new ConsensusException.Unavailable("no"));
    assertThat(transfers).isEmpty();

    balancer.run();
    assertThat(transfers).hasSize(1);
  }

  @Test
  void leavesLeadershipToOperatorsAndElectionsOnceAnotherNodeHasLed() {
    runWithLeader(N3);
    runWithLeader(N1);
    assertThat(transfers).isEmpty();
  }

  @Test
  void doesNotRepeatOnceAnotherNodeLeads() {
    runWithLeader(N1);
    transfers.remove().outcome().completeExceptionally(new ConsensusException.Unavailable("no"));
    runWithLeader(N2);
    runWithLeader(N1);
    assertThat(transfers).isEmpty();
  }

  @Test
  void waitsUntilThePreferredLeaderAcceptsWrites() {
    isWritable = false;
    runWithLeader(N1);
    assertThat(transfers).isEmpty();

    isWritable = true;
    balancer.run();
    assertThat(transfers).hasSize(1);
  }

  @Test
  void endsAfterAMinute() {
    nanos.addAndGet(Duration.ofMinutes(1).toNanos());
    runWithLeader(N1);
    assertThat(transfers).isEmpty();
  }

  @Test
  void transfersNothingWhileTheNodeStops() {
    servingState.stop();
    runWithLeader(N1);
    assertThat(transfers).isEmpty();
  }
}
