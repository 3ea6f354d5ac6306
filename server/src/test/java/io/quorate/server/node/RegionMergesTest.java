package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.consensus.Command;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.operation.Result;
import io.quorate.server.config.ClusterId;
import io.quorate.server.node.directory.ReplicaRecords;
import io.quorate.server.node.replicas.RegionMerges;
import io.quorate.server.node.replicas.RegionPlans;
import io.quorate.server.testing.RawClient;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.PlannedMerge;
import io.quorate.server.topology.PlannedSplit;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionTable;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologyVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Merges of two regions on one node, and topologies that are ahead of it or behind. */
class RegionMergesTest {
  private static final GroupId LEFT = new GroupId(1);
  private static final GroupId RIGHT = new GroupId(2);
  private static final GroupId NUMBER = new GroupId(3);
  private static final GroupId CHILD = new GroupId(4);
  private static final Key M = Key.utf8("m");
  private static final KeyRange LOWER = KeyRange.of(Key.EMPTY, M);
  private static final KeyRange UPPER = KeyRange.from(M);
  private static final PlannedMerge MERGE = new PlannedMerge(NUMBER, RIGHT, LEFT);

  @TempDir private Path directory;
  private MemoryNode node;
  private RegionPlans plans;
  private long version;

  @BeforeEach
  void open() throws IOException {
    node = new MemoryNode(directory);
    plans =
        new RegionPlans(
            node.topology,
            Optional.empty(),
            (receiver, region) -> CompletableFuture.completedFuture(Optional.empty()),
            (region, epoch) -> CompletableFuture.completedFuture(true));
  }

  @AfterEach
  void close() {
    node.close();
  }

  private void reopen() throws IOException {
    close();
    open();
  }

  private void begin() throws IOException {
    follow(region(LEFT, LOWER, MemoryNode.SELF), region(RIGHT, UPPER, MemoryNode.SELF));
    propose(LEFT, RawClient.put("a", "1"));
    propose(RIGHT, RawClient.put("z", "1"));
  }

  private static RegionAssignment region(GroupId id, KeyRange range, NodeId replica) {
    return new RegionAssignment(id, range, RegionEpoch.FIRST, List.of(replica));
  }

  private static RegionAssignment planned(GroupId id, KeyRange range) {
    return region(id, range, MemoryNode.SELF).planned(MERGE);
  }

  /** The assignment after the merge. */
  private static RegionAssignment merged() {
    return planned(LEFT, LOWER).merged(planned(RIGHT, UPPER));
  }

  /** Of both regions, after the merge and a split at the same key. */
  private static List<RegionAssignment> splitAgain(NodeId left, NodeId child) {
    RegionAssignment planned = merged().planned(new PlannedSplit(M, CHILD));
    return List.of(on(planned.divided(), left), on(planned.child(), child));
  }

  private static RegionAssignment on(RegionAssignment region, NodeId replica) {
    return new RegionAssignment(
        region.id(),
        region.range(),
        region.epoch().next(),
        List.of(replica),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        region.newestChange());
  }

  /** Region 0 is on the other node. */
  private void follow(RegionAssignment... regions) throws IOException {
    RegionAssignment metadata =
        new RegionAssignment(
            RegionAssignment.METADATA, KeyRange.ALL, RegionEpoch.FIRST, List.of(MemoryNode.OTHER));
    StoredTopology stored =
        new StoredTopology(
            new ClusterId("c"),
            new UUID(0, 1),
            new TopologyVersion(++version),
            List.of(),
            metadata,
            new RegionTable(List.of(regions)),
            1);
    node.topology.learn(stored);
    node.replicas.follow(stored);
  }

  private void follow(List<RegionAssignment> regions) throws IOException {
    follow(regions.toArray(RegionAssignment[]::new));
  }

  private Result propose(GroupId region, Operation operation) {
    ClientCommand command = new ClientCommand(RequestId.NONE, operation);
    return Result.decode(
        node.topology
            .hosted(region)
            .orElseThrow()
            .group()
            .propose(new Command(command.encoded()))
            .toCompletableFuture()
            .join()
            .result());
  }

  private void carryOutUntilConfirmed(GroupId region) {
    await()
        .until(
            () -> {
              plans.run();
              return plans.confirmed(region).isPresent();
            });
  }

  private Optional<String> get(GroupId region, String key) {
    LocalReplica replica = node.topology.hosted(region).orElseThrow();
    return replica
        .store()
        .get(Key.utf8(key))
        .map(value -> new String(value, StandardCharsets.UTF_8));
  }

  private ReplicaRecords records() throws IOException {
    return MemoryNode.records(directory);
  }

  @Test
  void aPlannedMergeIsCarriedOut() throws IOException {
    begin();
    follow(planned(LEFT, LOWER), planned(RIGHT, UPPER));
    carryOutUntilConfirmed(LEFT);
    assertThat(plans.confirmed(RIGHT)).isEmpty();
    follow(planned(LEFT, LOWER), planned(RIGHT, UPPER));
    assertThat(node.topology.table().orElseThrow().regions())
        .as("for clients, before the topology is stored")
        .containsExactly(merged());
    assertThat(node.topology.hosted(RIGHT)).isEmpty();
    assertThat(node.storage.holds(RIGHT)).isFalse();
    assertThat(records().hasEnded(RIGHT)).isTrue();
    assertThat(get(LEFT, "z")).contains("1");
    follow(merged());
    propose(LEFT, RawClient.put("z", "2"));
    assertThat(get(LEFT, "z")).contains("2");
    assertThat(get(LEFT, "a")).contains("1");
  }

  @Test
  void aRegionThatIsTooLargeServesAgain() throws IOException {
    begin();
    String large = "x".repeat(Operation.Absorb.STATE_BYTES_MAX);
    propose(RIGHT, RawClient.put("w", large));
    propose(RIGHT, RawClient.put("y", large));
    propose(RIGHT, new Operation.Freeze(NUMBER));
    follow(planned(LEFT, LOWER), planned(RIGHT, UPPER));
    carryOutUntilConfirmed(RIGHT);
    assertThat(plans.confirmed(LEFT)).isEmpty();
    assertThat(get(RIGHT, "z")).contains("1");
    assertThat(propose(RIGHT, new Operation.Freeze(NUMBER))).as("late").isEqualTo(Result.DONE);
    follow(planned(LEFT, LOWER).unmerged(), planned(RIGHT, UPPER).unmerged());
    propose(RIGHT, RawClient.put("z", "2"));
    assertThat(get(RIGHT, "z")).contains("2");
  }

  /** Another node may have given it up. */
  @Test
  void nothingIsAbsorbedThatIsNotFrozen() throws IOException {
    begin();
    propose(RIGHT, new Operation.Freeze(NUMBER));
    propose(RIGHT, new Operation.Unfreeze(NUMBER));
    follow(planned(LEFT, LOWER), planned(RIGHT, UPPER));
    carryOutUntilConfirmed(RIGHT);
    plans.run();
    assertThat(plans.confirmed(LEFT)).isEmpty();
    assertThat(node.topology.hosted(LEFT).orElseThrow().store().range()).isEqualTo(LOWER);
  }

  /**
   * A replica that is behind may find it too large, while it is frozen with less by another one,
   * and absorbed.
   */
  @Test
  void onlyAFrozenRegionIsTooLarge() throws IOException {
    begin();
    propose(RIGHT, RawClient.put("w", "x".repeat(Operation.Absorb.STATE_BYTES_MAX)));
    propose(RIGHT, RawClient.put("y", "x".repeat(100)));
    follow(planned(LEFT, LOWER), planned(RIGHT, UPPER));
    plans.run();
    await()
        .until(
            () ->
                node.topology.hosted(RIGHT).orElseThrow().store().mergeState().isFrozenBy(NUMBER));
    assertThat(plans.confirmed(RIGHT)).isEmpty();
    carryOutUntilConfirmed(RIGHT);
    assertThat(get(RIGHT, "z")).contains("1");
  }

  /** Its replica of the second region was lost; other members have it. */
  @Test
  void aLeaderThatCannotAbsorbHandsOver() throws IOException {
    NodeId third = new NodeId("n3");
    follow(region(LEFT, LOWER, MemoryNode.SELF), region(RIGHT, UPPER, MemoryNode.OTHER));
    LocalReplica left = node.topology.hosted(LEFT).orElseThrow();
    HeldGroup group = new HeldGroup(left.group());
    group.members = List.of(MemoryNode.SELF, third, MemoryNode.OTHER);
    node.topology.host(new LocalReplica(left.assignment(), group, left.store()));
    follow(planned(LEFT, LOWER), region(RIGHT, UPPER, MemoryNode.OTHER).planned(MERGE));
    for (int i = 1; i < RegionMerges.RUNS_MAX; i++) {
      plans.run();
    }
    assertThat(group.targets).isEmpty();
    for (int i = 0; i <= RegionMerges.RUNS_MAX; i++) {
      plans.run();
    }
    assertThat(group.targets).containsExactly(MemoryNode.OTHER, third);
    assertThat(plans.problem(LEFT)).contains("Region 2 is not frozen on this node yet.");
  }

  /** A metadata replica that restarted may return it, when the keys have left the node. */
  @Test
  void aTopologyFromBeforeTheMergeBeginsNoEmptyReplica() throws IOException {
    begin();
    follow(planned(LEFT, LOWER), planned(RIGHT, UPPER));
    carryOutUntilConfirmed(LEFT);
    follow(merged());
    propose(LEFT, new Operation.Split(M, CHILD));
    follow(splitAgain(MemoryNode.SELF, MemoryNode.SELF));
    follow(splitAgain(MemoryNode.SELF, MemoryNode.OTHER));
    List<RegionAssignment> away = splitAgain(MemoryNode.SELF, MemoryNode.OTHER);
    follow(away.get(0), on(away.get(1), MemoryNode.OTHER));
    assertThat(node.storage.holds(CHILD)).isFalse();
    reopen();
    follow(region(LEFT, LOWER, MemoryNode.SELF), region(RIGHT, UPPER, MemoryNode.SELF));
    assertThat(node.topology.hosted(LEFT)).isPresent();
    assertThat(node.topology.hosted(RIGHT)).isEmpty();
    assertThat(node.storage.holds(RIGHT)).isFalse();
  }

  /** Nothing of it could be told from a region that the node never had. */
  @Test
  void aTopologyFromBeforeARegionBeganRemovesNothing() throws IOException {
    follow(region(LEFT, KeyRange.ALL, MemoryNode.SELF));
    propose(LEFT, new Operation.Split(M, RIGHT));
    RegionAssignment planned =
        region(LEFT, KeyRange.ALL, MemoryNode.SELF).planned(new PlannedSplit(M, RIGHT));
    follow(planned.divided(), planned.child());
    reopen();
    follow(region(LEFT, KeyRange.ALL, MemoryNode.SELF));
    assertThat(node.storage.holds(RIGHT)).isTrue();
    follow(planned.divided(), planned.child());
    assertThat(node.topology.hosted(RIGHT)).isPresent();
  }

  @Test
  void anAbsorbedRegionKeepsItsKeysUntilTheOneBelowReceivesThem() throws IOException {
    begin();
    follow(merged());
    assertThat(node.topology.hosted(RIGHT)).isPresent();
    follow(splitAgain(MemoryNode.SELF, MemoryNode.SELF));
    assertThat(node.topology.hosted(RIGHT)).isPresent();
    node.pass(Duration.ofSeconds(20));
    assertThat(node.lost.reported()).as("it begins by a split").isEmpty();

    propose(RIGHT, new Operation.Freeze(NUMBER));
    Operation.Absorb absorb =
        node.topology.hosted(RIGHT).orElseThrow().store().mergeState().absorb(NUMBER).orElseThrow();
    propose(LEFT, absorb);
    propose(LEFT, new Operation.Split(M, CHILD));
    follow(splitAgain(MemoryNode.SELF, MemoryNode.SELF));
    assertThat(node.topology.hosted(RIGHT)).isEmpty();
    assertThat(get(CHILD, "z")).contains("1");
  }

  /** Its keys here, and its group, would otherwise stay for ever. */
  @Test
  void anAbsorbedRegionIsRemovedWhenTheOneBelowHasLeft() throws IOException {
    begin();
    follow(merged());
    follow(splitAgain(MemoryNode.OTHER, MemoryNode.SELF));
    follow(splitAgain(MemoryNode.OTHER, MemoryNode.SELF));
    assertThat(node.topology.hosted(LEFT)).isEmpty();
    assertThat(node.topology.hosted(RIGHT)).isEmpty();
    assertThat(node.storage.holds(RIGHT)).isFalse();
    node.pass(Duration.ofSeconds(20));
    follow(splitAgain(MemoryNode.OTHER, MemoryNode.SELF));
    node.pass(Duration.ofSeconds(20));
    assertThat(node.lost.reported()).containsOnlyKeys(CHILD);
  }
}
