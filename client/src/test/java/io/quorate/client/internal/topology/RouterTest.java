package io.quorate.client.internal.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RouterTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");
  private static final List<NodeId> ALL = List.of(N1, N2, N3);

  private final AtomicLong nanos = new AtomicLong();

  private static RegionDescriptor region(long epoch, Optional<NodeId> leader) {
    return new RegionDescriptor(new GroupId(1), new RegionEpoch(epoch), KeyRange.ALL, ALL, leader);
  }

  private static TopologySnapshot topology(RegionDescriptor region, boolean leadersOnly) {
    return topology(region, leadersOnly, 0, 3);
  }

  private static TopologySnapshot topology(
      RegionDescriptor region, boolean leadersOnly, long version, int portOfN3) {
    return new TopologySnapshot(
        "test",
        new UUID(1, 2),
        version,
        Map.of(
            N1,
            new NodeAddress("h", 1),
            N2,
            new NodeAddress("h", 2),
            N3,
            new NodeAddress("h", portOfN3)),
        List.of(region),
        leadersOnly,
        ReadMode.BY_LEADER);
  }

  private Router router(Optional<NodeId> leader) {
    Router router = new Router(0, nanos::get);
    router.update(topology(region(1, leader), true));
    return router;
  }

  private static NodeId choose(Router router, Optional<NodeId> after) {
    return router.choose(
        router.topology().orElseThrow().regionOf(Key.utf8("k")), false, after, node -> true);
  }

  @Test
  void theLeaderIsChosenFirst() {
    assertThat(choose(router(Optional.of(N3)), Optional.empty())).isEqualTo(N3);
  }

  /** A node has moved, and another node does not know it yet. */
  @Test
  void anEarlierVersionOfTheSameRegionsIsNotAdopted() {
    Router router = new Router(0, nanos::get);
    router.update(topology(region(1, Optional.of(N1)), true, 7, 4));
    router.update(topology(region(1, Optional.of(N2)), true, 6, 3));
    assertThat(router.topology().orElseThrow().nodes().get(N3)).isEqualTo(new NodeAddress("h", 4));
    // A split or merge that is in force already has a newer region in the same version.
    router.update(topology(region(2, Optional.of(N1)), true, 6, 3));
    assertThat(router.topology().orElseThrow().nodes().get(N3)).isEqualTo(new NodeAddress("h", 3));
  }

  @Test
  void aHintReplacesTheLeader() {
    Router router = router(Optional.of(N1));
    router.notLeader(new GroupId(1), N1, Optional.of(N2));
    assertThat(choose(router, Optional.of(N1))).isEqualTo(N2);
  }

  @Test
  void withoutALeaderEveryReplicaIsChosenOnce() {
    Router router = router(Optional.of(N1));
    router.notLeader(new GroupId(1), N1, Optional.empty());
    Set<NodeId> chosen = new HashSet<>();
    Optional<NodeId> last = Optional.empty();
    for (int i = 0; i < 3; i++) {
      last = Optional.of(choose(router, last));
      chosen.add(last.get());
    }
    assertThat(chosen).containsExactlyInAnyOrderElementsOf(ALL);
  }

  @Test
  void aNotLeaderResponseDoesNotRemoveAnotherLeader() {
    Router router = router(Optional.of(N2));
    router.notLeader(new GroupId(1), N1, Optional.empty());
    assertThat(choose(router, Optional.of(N1))).isEqualTo(N2);
  }

  @Test
  void anUnreachableLeaderIsNotChosen() {
    Router router = router(Optional.of(N1));
    RegionDescriptor region = router.topology().orElseThrow().regions().get(0);
    assertThat(router.choose(region, false, Optional.empty(), node -> !node.equals(N1)))
        .isNotEqualTo(N1);
    router.unreachable(N1);
    assertThat(choose(router, Optional.of(N1))).isEqualTo(N2);
  }

  /** It responds that it has no replica, with a topology that names no leader. */
  @Test
  void aNodeThatHasLostItsReplicaIsNotChosenAgain() {
    Router router = router(Optional.of(N1));
    RegionDescriptor moved =
        new RegionDescriptor(
            new GroupId(1), new RegionEpoch(2), KeyRange.ALL, List.of(N2, N3), Optional.empty());
    router.update(topology(moved, true));
    assertThat(choose(router, Optional.empty())).isNotEqualTo(N1);
  }

  @Test
  void aReplicaIsChosenEvenIfNoneIsReachable() {
    Router router = router(Optional.empty());
    RegionDescriptor region = router.topology().orElseThrow().regions().get(0);
    assertThat(ALL).contains(router.choose(region, false, Optional.of(N3), node -> false));
  }

  @Test
  void anOlderTopologyIsIgnored() {
    Router router = new Router(0, nanos::get);
    router.update(topology(region(7, Optional.of(N1)), true));
    router.update(topology(region(6, Optional.of(N2)), true));
    assertThat(choose(router, Optional.empty())).isEqualTo(N1);
    assertThat(router.topology().orElseThrow().regions().get(0).epoch())
        .isEqualTo(new RegionEpoch(7));
  }

  @Test
  void withoutLeadersClientsPreferDifferentReplicas() {
    Set<NodeId> chosen = new HashSet<>();
    for (int preference = 0; preference < 3; preference++) {
      Router router = new Router(preference, nanos::get);
      router.update(topology(region(1, Optional.of(N1)), false));
      chosen.add(choose(router, Optional.empty()));
    }
    assertThat(chosen).containsExactlyInAnyOrderElementsOf(ALL);
  }

  /** The leader has the load of the writes. */
  @Test
  void readsForReplicasGoToTheLeaderLast() {
    for (int preference = 0; preference < 3; preference++) {
      Router router = new Router(preference, nanos::get);
      router.update(topology(region(1, Optional.of(N2)), true));
      RegionDescriptor region = router.topology().orElseThrow().regionOf(Key.utf8("k"));
      assertThat(router.choose(region, true, Optional.empty(), node -> true)).isNotEqualTo(N2);
      assertThat(router.order(region, node -> true)).hasSize(3).last().isEqualTo(N2);
      assertThat(router.choose(region, true, Optional.empty(), N2::equals)).isEqualTo(N2);
      assertThat(router.choose(region, false, Optional.empty(), node -> true)).isEqualTo(N2);
    }
  }

  @Test
  void aReplicaThatDoesNotRespondIsAvoidedForAWhile() {
    Router router = new Router(0, nanos::get);
    router.update(topology(region(1, Optional.empty()), false));
    NodeId first = choose(router, Optional.empty());

    router.unreachable(first);
    assertThat(choose(router, Optional.empty())).isNotEqualTo(first);
    nanos.addAndGet(SuspectList.SUSPICION_INITIAL.toNanos());
    assertThat(choose(router, Optional.empty())).isEqualTo(first);

    router.suspect(first);
    router.responded(first);
    assertThat(choose(router, Optional.empty())).isEqualTo(first);
  }

  @Test
  void theFirstReplicaRotatesAndSuspectedReplicasComeLast() {
    Router router = new Router(0, nanos::get);
    RegionDescriptor region = region(1, Optional.empty());
    router.update(topology(region, false));
    Set<NodeId> firsts = new HashSet<>();
    for (int i = 0; i < 3; i++) {
      firsts.add(router.order(region, node -> true).get(0));
    }
    assertThat(firsts).containsExactlyInAnyOrderElementsOf(ALL);

    router.suspect(N1);
    for (int i = 0; i < 3; i++) {
      assertThat(router.order(region, node -> true)).endsWith(N1).hasSize(3);
      assertThat(router.order(region, node -> !node.equals(N2)).get(0)).isEqualTo(N3);
    }
  }

  @Test
  void theNearestNodeIsChosenFirstUnlessItIsSuspected() {
    Router router = new Router(Optional.of(N2), 0, nanos::get);
    RegionDescriptor region = region(1, Optional.empty());
    router.update(topology(region, false));

    assertThat(choose(router, Optional.empty())).isEqualTo(N2);
    assertThat(router.order(region, node -> true)).containsExactly(N2, N3, N1);
    assertThat(router.order(region, node -> true)).containsExactly(N2, N3, N1);

    router.unreachable(N2);
    assertThat(choose(router, Optional.empty())).isEqualTo(N3);
  }

  @Test
  void aNearestNodeWithoutAReplicaIsIgnored() {
    Router router = new Router(Optional.of(new NodeId("n9")), 1, nanos::get);
    router.update(topology(region(1, Optional.empty()), false));

    assertThat(choose(router, Optional.empty())).isEqualTo(N2);
  }
}
