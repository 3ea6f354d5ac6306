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
import io.quorate.consensus.Member;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.GroupId;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When node n1 hands its leaderships over, and to whom. */
class LeadershipHandoverTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");

  /** A transfer that waits for its outcome. */
  private record Transfer(GroupId region, NodeId target, CompletableFuture<Void> outcome) {}

  /** A region whose leader the test sets. */
  private final class Group implements ConsensusGroup, Leadership {
    private final GroupId region;
    private NodeId leader = N1;

    private Group(GroupId region) {
      this.region = region;
    }

    @Override
    public CompletionStage<Void> transferTo(NodeId target, Duration timeout) {
      CompletableFuture<Void> outcome = new CompletableFuture<>();
      transfers.add(new Transfer(region, target, outcome));
      return outcome;
    }

    @Override
    public GroupStatus view() {
      List<Member> members =
          List.of(N1, N2, N3).stream()
              .map(node -> new Member(node, InetSocketAddress.createUnresolved("h", 1)))
              .toList();
      return new GroupStatus(
          1, members, Optional.of(leader), leader.equals(N1), Position.NONE, false, false);
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
  private final Map<Integer, Group> groups = new HashMap<>();
  private final AtomicLong nanos = new AtomicLong();
  private final ServingState servingState = new ServingState();
  private boolean isFounding;
  private Set<NodeId> writable = Set.of(N2, N3);
  private final ClusterTopology topology =
      new ClusterTopology(
          new ClusterId("c"),
          N1,
          List.of(new ClusterNode(N1, "localhost", 1, 2, 3)),
          new ClusterTopology.Service(true, false, true, Optional.empty(), Optional.empty()));
  private final LeadershipHandover handover =
      new LeadershipHandover(topology, servingState, () -> isFounding, () -> writable, nanos::get);

  LeadershipHandoverTest() {
    for (int id = 1; id <= 4; id++) {
      Key start = id == 1 ? Key.EMPTY : Key.utf8("k" + id);
      Group group = new Group(new GroupId(id));
      groups.put(id, group);
      topology.host(
          new LocalReplica(
              new RegionAssignment(
                  group.region,
                  KeyRange.of(start, Key.utf8("k" + (id + 1))),
                  RegionEpoch.FIRST,
                  List.of(N1, N2, N3)),
              group,
              null));
    }
  }

  private Map<NodeId, Long> received() {
    Map<NodeId, Long> received = new HashMap<>();
    transfers.forEach(transfer -> received.merge(transfer.target(), 1L, Long::sum));
    return received;
  }

  @Test
  void aNodeWhoseDiskIsFullHandsOverWhatItLeadsToAllThatAcceptWrites() {
    servingState.serve();
    groups.get(4).leader = N2;
    handover.run();
    assertThat(transfers).as("while writes are accepted").isEmpty();

    servingState.refuseWrites("The disk is full.");
    handover.run();
    handover.run();
    assertThat(transfers).as("one for each region").hasSize(3);
    assertThat(received()).containsOnlyKeys(N2, N3);
  }

  @Test
  void aNodeThatIsElectedBeforeItServesHandsOver() {
    handover.run();
    assertThat(received()).isEqualTo(Map.of(N2, 2L, N3, 2L));
  }

  @Test
  void nothingIsHandedOverDuringTheFirstStartOfACluster() {
    isFounding = true;
    handover.run();
    assertThat(transfers).isEmpty();
  }

  @Test
  void aNodeThatStopsLeavesItToItsDrain() {
    servingState.stop();
    handover.run();
    assertThat(transfers).isEmpty();
  }

  @Test
  void leadershipsStayWhereNoOtherMemberAcceptsWrites() {
    writable = Set.of(N1, new NodeId("n9"));
    handover.run();
    assertThat(transfers).isEmpty();
    writable = Set.of(N3);
    handover.run();
    assertThat(received()).isEqualTo(Map.of(N3, 4L));
  }

  @Test
  void afterAFailureAnotherMemberFollowsAndThenTheFirstAgain() {
    for (int id = 2; id <= 4; id++) {
      groups.get(id).leader = N3;
    }
    handover.run();
    NodeId first = fail();
    handover.run();
    assertThat(transfers).as("after a pause only").isEmpty();

    pass();
    handover.run();
    NodeId second = fail();
    assertThat(Set.of(first, second)).isEqualTo(Set.of(N2, N3));

    pass();
    handover.run();
    assertThat(transfers).hasSize(1);
    transfers.remove().outcome().complete(null);
    groups.get(1).leader = N2;
    handover.run();
    assertThat(transfers).isEmpty();
  }

  private NodeId fail() {
    assertThat(transfers).hasSize(1);
    Transfer transfer = transfers.remove();
    transfer.outcome().completeExceptionally(new ConsensusException.Unavailable("no"));
    return transfer.target();
  }

  private void pass() {
    nanos.addAndGet(Duration.ofSeconds(1).toNanos());
  }
}
