package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig.Policy;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LeaderPlacementTest {
  private static final int SEEDS = 300;
  private static final Pictures PICTURES =
      new Pictures(3).nodes(3).metadata(1, 2, 3).region(1, 2, 3).region(1, 3, 2).region(2, 3, 1);

  private static NodeDevice device(double speed) {
    return new NodeDevice(speed, Long.MAX_VALUE, false);
  }

  private static NodeDevice slow(double speed) {
    return new NodeDevice(speed, Long.MAX_VALUE, true);
  }

  private static ClusterPicture led(StoredTopology topology, Map<NodeId, NodeDevice> devices) {
    return Pictures.measured(topology, devices, Map.of(), Map.of());
  }

  private static List<Transfer> next(ClusterPicture picture, Policy policy) {
    return LeaderPlacement.next(picture, policy, Set.of(), 100);
  }

  /** Region, former and next leader of each transfer. */
  private static List<String> plain(List<Transfer> transfers) {
    return transfers.stream()
        .map(transfer -> transfer.region() + ": " + transfer.from() + " to " + transfer.to())
        .toList();
  }

  @Test
  void aLeadershipMovesToTheNodeWithTheFewest() {
    assertThat(plain(next(Pictures.led(PICTURES.topology()), Policy.ED)))
        .containsExactly("1: n1 to n3");
  }

  /** Writes to its region would wait until it accepts them: it starts, or its disk is full. */
  @ParameterizedTest
  @EnumSource(Policy.class)
  void nothingMovesToANodeThatRefusesWrites(Policy policy) {
    ClusterPicture picture =
        led(
            PICTURES.topology(),
            Map.of(node(1), device(1), node(2), device(1), node(3), device(9)));
    assertThat(next(Pictures.refusing(picture, 3), policy))
        .noneMatch(transfer -> transfer.to().equals(node(3)));
    assertThat(next(Pictures.refusing(picture, 2, 3), policy)).isEmpty();
  }

  @Test
  void nothingMovesWhereNumbersDifferByOne() {
    Pictures even = new Pictures(3).nodes(3).metadata(1, 2, 3).region(1, 2, 3).region(2, 3, 1);
    assertThat(next(Pictures.led(even.topology()), Policy.ED)).isEmpty();
  }

  @Test
  void numbersOfLeadersDoNotChangeWhileReplicasDo() {
    StoredTopology topology = PICTURES.topology();
    RegionAssignment changing =
        topology.assignment(new GroupId(2)).orElseThrow().planned(ReplicaChange.remove(node(2)));
    assertThat(next(Pictures.led(topology.with(changing)), Policy.ED)).isEmpty();
  }

  @Test
  void withoutAPolicyNothingMoves() {
    assertThat(
            next(
                led(PICTURES.topology(), Map.of(node(1), slow(1), node(2), device(9))),
                Policy.NONE))
        .isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = Policy.class,
      names = {"LMO", "ALOR"})
  void theFastestReplicaLeadsWhatGainsMostFirst(Policy policy) {
    StoredTopology topology =
        new Pictures(3)
            .nodes(4)
            .metadata(1, 2, 3)
            .region(1, 2, 3)
            .region(4, 1, 3)
            .region(2, 4, 1)
            .topology();
    Map<NodeId, NodeDevice> devices =
        Map.of(node(1), device(20), node(2), device(10), node(3), device(9), node(4), device(5));
    assertThat(plain(next(led(topology, devices), policy)))
        .containsExactly("2: n4 to n1", "3: n2 to n1");
    assertThat(plain(LeaderPlacement.next(led(topology, devices), policy, Set.of(), 1)))
        .as("one at a time")
        .containsExactly("2: n4 to n1");
    assertThat(
            plain(LeaderPlacement.next(led(topology, devices), policy, Set.of(new GroupId(2)), 1)))
        .as("one has just been transferred")
        .containsExactly("3: n2 to n1");
  }

  @Test
  void devicesThatMeasurementsCannotTellApartShareTheLeaders() {
    Map<NodeId, NodeDevice> devices =
        Map.of(node(1), device(10), node(2), device(9), node(3), device(5));
    StoredTopology topology =
        new Pictures(3)
            .nodes(3)
            .metadata(1, 2, 3)
            .region(3, 1, 2)
            .region(3, 1, 2)
            .region(3, 1, 2)
            .region(3, 1, 2)
            .topology();
    assertThat(next(led(topology, devices), Policy.LMO).stream().map(Transfer::to))
        .containsExactlyInAnyOrder(node(1), node(1), node(2), node(2));
  }

  @ParameterizedTest
  @EnumSource(
      value = Policy.class,
      names = {"ED", "LMO", "ALOR"})
  void everyLeadershipLeavesASlowDeviceAtOnceThatOfRegion0Last(Policy policy) {
    Map<NodeId, NodeDevice> devices = Map.of(node(1), slow(30), node(2), device(10));
    StoredTopology topology = PICTURES.topology();
    RegionAssignment changing =
        topology.assignment(new GroupId(2)).orElseThrow().planned(ReplicaChange.remove(node(2)));
    List<Transfer> transfers =
        LeaderPlacement.next(led(topology.with(changing), devices), policy, Set.of(), 0);
    assertThat(transfers).extracting(Transfer::reason).containsOnly("n1 has become slow");
    assertThat(transfers)
        .extracting(transfer -> transfer.region().value())
        .as("also that of a region whose replicas change")
        .containsExactly(1, 2, 0);
    assertThat(transfers).noneMatch(transfer -> transfer.to().equals(node(1)));
  }

  /** Also where a replica with fragments is on the node with fewer leaders. */
  @Test
  void aReplicaWithCompleteCopiesIsPreferred() {
    StoredTopology topology = PICTURES.topology();
    GroupId region = new GroupId(1);
    ClusterPicture fragments = led(topology, Map.of(node(1), slow(10)));
    ClusterPicture copies =
        Pictures.coded(fragments, Map.of(region, Map.of(node(2), 5L, node(3), 1L)));
    assertThat(plain(next(fragments, Policy.ED))).contains("1: n1 to n3");
    assertThat(plain(next(copies, Policy.ED))).contains("1: n1 to n2");
  }

  @Test
  void leadersStayWhereEveryDeviceIsSlow() {
    Map<NodeId, NodeDevice> devices = Map.of(node(1), slow(3), node(2), slow(3), node(3), slow(3));
    assertThat(next(led(PICTURES.topology(), devices), Policy.ALOR)).isEmpty();
  }

  /** From any leaders, the transfers end, and then no leader is on a slower device than need be. */
  @Test
  void placementConverges() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      Random random = new Random(seed);
      int nodes = 3 + random.nextInt(4);
      Pictures pictures = new Pictures(3).nodes(nodes).metadata(1, 2, 3);
      for (int i = 0; i < 1 + random.nextInt(20); i++) {
        int first = random.nextInt(nodes);
        pictures.region(IntStream.range(0, 3).map(k -> 1 + (first + k) % nodes).toArray());
      }
      Map<NodeId, NodeDevice> devices = new HashMap<>();
      for (int i = 1; i <= nodes; i++) {
        double speed = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(30);
        devices.put(node(i), new NodeDevice(speed, Long.MAX_VALUE, random.nextInt(8) == 0));
      }
      Policy policy = random.nextBoolean() ? Policy.ALOR : Policy.ED;
      converge(led(pictures.topology(), devices), policy, "seed " + seed);
    }
  }

  private static void converge(ClusterPicture first, Policy policy, String seed) {
    ClusterPicture picture = first;
    for (int round = 0; ; round++) {
      assertThat(round).as(seed).isLessThan(50);
      List<Transfer> transfers = LeaderPlacement.next(picture, policy, Set.of(), 4);
      if (transfers.isEmpty()) {
        break;
      }
      Map<GroupId, NodeId> leaders = new HashMap<>(picture.leaders());
      for (Transfer transfer : transfers) {
        assertThat(leaders.put(transfer.region(), transfer.to()))
            .as(seed)
            .isEqualTo(transfer.from());
      }
      picture = Pictures.led(picture, leaders);
    }
    for (RegionAssignment region : picture.topology().regions().regions()) {
      NodeId leader = picture.leaders().get(region.id());
      List<NodeId> others = new ArrayList<>(region.replicas());
      ClusterPicture last = picture;
      others.removeIf(node -> last.device(node).isSlow());
      if (others.isEmpty()) {
        continue;
      }
      assertThat(others).as(seed).contains(leader);
      if (policy == Policy.ALOR) {
        DeviceSpeeds speeds = DeviceSpeeds.of(picture);
        assertThat(speeds.fastest(others)).as(seed).contains(leader);
      }
    }
  }
}
