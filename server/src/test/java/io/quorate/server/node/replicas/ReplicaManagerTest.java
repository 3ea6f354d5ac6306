package io.quorate.server.node.replicas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.consensus.Command;
import io.quorate.consensus.CommittedBatch;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.server.config.ClusterId;
import io.quorate.server.node.MemoryNode;
import io.quorate.server.node.directory.ReplicaRecords;
import io.quorate.server.testing.MemoryGroup;
import io.quorate.server.testing.RawClient;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.PlannedMerge;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionTable;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologyVersion;
import io.quorate.storage.RegionStore;
import io.quorate.storage.Storage;
import io.quorate.storage.options.Keyspace;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplicaManagerTest {
  private static final GroupId REGION = new GroupId(1);
  private static final GroupId CHILD = new GroupId(2);
  private static final RegionEpoch AFTER_SPLIT = new RegionEpoch(3);
  private static final PlannedMerge MERGE = new PlannedMerge(new GroupId(3), CHILD, REGION);
  private static final NodeId OTHER = MemoryNode.OTHER;

  @TempDir private Path directory;

  @Test
  void aReplicaIsRemovedWhenItsRegionHasMovedAway() throws IOException {
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(table(1, MemoryNode.SELF));
      write(hosted(node).orElseThrow());
      node.replicas.follow(moving(2, MemoryNode.SELF, OTHER));
      assertThat(hosted(node))
          .map(LocalReplica::assignment)
          .contains(region(2, MemoryNode.SELF, OTHER));
      node.replicas.follow(table(3, OTHER));
      assertThat(hosted(node)).isEmpty();
      assertThat(node.storage.holds(REGION)).isFalse();
      assertThat(records().of(REGION)).isEmpty();
    }
  }

  /** A metadata replica that restarted may return them. */
  @Test
  void assignmentsFromBeforeAMoveRemoveNothing() throws IOException {
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(moving(2, OTHER, MemoryNode.SELF));
      assertThat(hosted(node)).isPresent();
    }
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(table(1, OTHER));
      assertThat(records().of(REGION)).isPresent();
      node.replicas.follow(moving(2, OTHER, MemoryNode.SELF));
      assertThat(hosted(node)).isPresent();
    }
  }

  /** They are from between two moves, away and back, and the node did not see the first. */
  @Test
  void assignmentsFromBeforeTheReturnRemoveNothing() throws IOException {
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(table(1, MemoryNode.SELF));
      write(hosted(node).orElseThrow());
      node.replicas.follow(moving(4, OTHER, MemoryNode.SELF));
    }
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(table(3, OTHER));
      assertThat(node.storage.holds(REGION)).isTrue();
      node.replicas.follow(table(5, OTHER));
      assertThat(node.storage.holds(REGION)).isFalse();
    }
  }

  /** A replica that returns must not count as the member that the former one was. */
  @Test
  void aReplicaKeepsTheNumberOfTheChangeByWhichItJoined() throws IOException {
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(table(1, MemoryNode.SELF));
      write(hosted(node).orElseThrow());
      assertThat(joinedBy(node)).isZero();
      node.replicas.follow(moving(2, MemoryNode.SELF, OTHER));
      node.replicas.follow(table(3, OTHER));
      node.replicas.follow(moving(4, OTHER, MemoryNode.SELF));
      assertThat(joinedBy(node)).isEqualTo(4);
    }
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(moving(5, OTHER, MemoryNode.SELF));
      assertThat(joinedBy(node)).isEqualTo(4);
    }
  }

  @Test
  void aReplicaThatStaysKeepsTheNumberOfTheChangeByWhichItJoined() throws IOException {
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(moving(2, OTHER, MemoryNode.SELF));
    }
    // It moved away and back, and the node has not received that.
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(moving(6, OTHER, MemoryNode.SELF));
      assertThat(joinedBy(node)).isEqualTo(2);
    }
  }

  @Test
  void aReplicaAfterAnInterruptedRemovalHasJoinedLater() throws IOException {
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(table(1, MemoryNode.SELF));
      write(hosted(node).orElseThrow());
      ReplicaPoints.LOG_REMOVED.on(
          (failpoint, region) -> {
            throw new IOException("crashed");
          });
      assertThatThrownBy(() -> node.replicas.follow(table(3, OTHER))).hasMessage("crashed");
    } finally {
      ReplicaPoints.LOG_REMOVED.off();
    }
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(moving(4, OTHER, MemoryNode.SELF));
      assertThat(joinedBy(node)).isEqualTo(3);
    }
  }

  private static long joinedBy(MemoryNode node) {
    return ((MemoryGroup) hosted(node).orElseThrow().group()).spec().joinedBy();
  }

  /** The group may have received the node as a member before. */
  @Test
  void aReplicaStaysUntilItsAdditionIsKnownToBeTakenBack() throws IOException {
    try (MemoryNode node = new MemoryNode(directory)) {
      RegionAssignment joining = region(2, OTHER, MemoryNode.SELF);
      node.replicas.follow(stored(joining));
      node.replicas.follow(stored(joining.withdrawn()));
      assertThat(hosted(node)).isPresent();
      node.replicas.follow(stored(joining.withdrawn().changed()));
      assertThat(hosted(node)).isEmpty();
    }
  }

  @Test
  void aReplicaThatEndedIsOpenedAgain() throws IOException {
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(table(1, MemoryNode.SELF));
      LocalReplica ended = hosted(node).orElseThrow();
      write(ended);
      ((MemoryGroup) ended.group()).end();
      node.replicas.follow(table(1, MemoryNode.SELF));
      LocalReplica again = hosted(node).orElseThrow();
      assertThat(again.group()).isNotSameAs(ended.group());
      assertThat(again.group().view().ended()).isFalse();
    }
  }

  /** The files stay until the replica is removed; meanwhile the others are served. */
  @Test
  void aReplicaWithDamagedFilesIsLostAndTheOthersAreOpened() throws IOException {
    Key at = Key.utf8("m");
    RegionAssignment upper =
        new RegionAssignment(CHILD, KeyRange.from(at), RegionEpoch.FIRST, List.of(MemoryNode.SELF));
    KeyRange lower = KeyRange.of(Key.EMPTY, at);
    StoredTopology both =
        stored(
            new RegionAssignment(REGION, lower, RegionEpoch.FIRST, List.of(MemoryNode.SELF)),
            upper);
    try (MemoryNode node = new MemoryNode(directory)) {
      node.damage(REGION);
      for (int i = 0; i < 2; i++) {
        node.replicas.follow(both);
        assertThat(hosted(node)).isEmpty();
        assertThat(node.topology.hosted(CHILD)).isPresent();
        assertThat(node.lost.reported()).isEqualTo(Map.of(REGION, RegionEpoch.FIRST));
        assertThat(node.lost.problems())
            .singleElement()
            .asString()
            .contains("region 1", "receives another one", "Reason: The file of 1 is damaged");
      }
      node.replicas.follow(stored(assignment(REGION, lower, OTHER), upper));
      assertThat(node.lost.reported()).isEmpty();
      assertThat(records().of(REGION)).isEmpty();
      RegionAssignment joins =
          assignment(REGION, lower, OTHER).planned(ReplicaChange.add(MemoryNode.SELF));
      node.replicas.follow(stored(joins, upper));
      assertThat(hosted(node)).isPresent();
    }
  }

  /** The node was off when the damaged replica was removed, and is to receive another one. */
  @Test
  void aDamagedReplicaThatIsReplacedByALaterPlanBeginsAnew() throws IOException {
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(table(1, MemoryNode.SELF));
      write(hosted(node).orElseThrow());
    }
    try (MemoryNode node = new MemoryNode(directory)) {
      node.damage(REGION);
      node.replicas.follow(moving(4, OTHER, MemoryNode.SELF));
      assertThat(hosted(node)).isEmpty();
      node.replicas.follow(moving(4, OTHER, MemoryNode.SELF));
      assertThat(hosted(node)).isPresent();
      assertThat(joinedBy(node)).isEqualTo(4);
    }
  }

  /** Its votes and its log say that it has the rows. */
  @Test
  void aReplicaWhoseRowsWereSetAsideIsLostUntilItIsReplaced() throws IOException {
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(table(1, MemoryNode.SELF));
      write(hosted(node).orElseThrow());
    }
    ReplicaRecords before = records();
    before.add(REGION);
    before.loseRows();
    for (int i = 0; i < 2; i++) {
      try (MemoryNode node = new MemoryNode(directory)) {
        node.replicas.follow(table(1, MemoryNode.SELF));
        assertThat(hosted(node)).isEmpty();
        assertThat(node.lost.reported()).isEqualTo(Map.of(REGION, RegionEpoch.FIRST));
        assertThat(node.lost.damage(REGION)).contains("set aside");
      }
    }
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(moving(4, OTHER, MemoryNode.SELF));
      node.replicas.follow(moving(4, OTHER, MemoryNode.SELF));
      assertThat(hosted(node)).isPresent();
      assertThat(joinedBy(node)).isEqualTo(4);
      assertThat(records().lost()).isEmpty();
    }
  }

  /** The node had a replica, and its disk was emptied. */
  @Test
  void aLostReplicaIsNotBegunAgainAndIsReportedAfterSomeSeconds() throws IOException {
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(table(3, MemoryNode.SELF));
      assertThat(hosted(node)).isEmpty();
      assertThat(node.lost.reported()).isEmpty();
      node.pass(Duration.ofSeconds(10));
      assertThat(node.lost.reported()).isEqualTo(Map.of(REGION, new RegionEpoch(3)));
      node.replicas.follow(table(4, MemoryNode.SELF));
      assertThat(node.lost.reported()).as("assigned anew").isEmpty();
      node.pass(Duration.ofSeconds(10));
      node.replicas.follow(moving(5, OTHER, MemoryNode.SELF));
      assertThat(hosted(node)).as("received from another node").isPresent();
      assertThat(node.lost.reported()).isEmpty();
    }
  }

  /**
   * The record of a child is durable before its state. After a crash in between, the parent applies
   * the split again, here after the assignments were received.
   */
  @Test
  void aChildWithARecordAndNoStateBeginsByTheSplit() throws IOException {
    Key at = Key.utf8("m");
    StoredTopology divided =
        stored(
            assignment(REGION, KeyRange.of(Key.EMPTY, at), MemoryNode.SELF),
            assignment(CHILD, KeyRange.from(at), MemoryNode.SELF));
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(table(1, MemoryNode.SELF));
    }
    records().put(CHILD, new ReplicaRecords.Assigned(AFTER_SPLIT, 0));
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(divided);
      assertThat(node.topology.hosted(CHILD)).isEmpty();
      node.pass(Duration.ofSeconds(10));
      assertThat(node.lost.reported()).isEmpty();
      propose(hosted(node).orElseThrow(), new Operation.Split(at, CHILD));
      node.replicas.follow(divided);
      assertThat(node.topology.hosted(CHILD).orElseThrow().store().range())
          .isEqualTo(KeyRange.from(at));
    }
  }

  /** Otherwise it would wait for a split that never is applied. */
  @Test
  void aChildWithARecordAndNoStateIsLostIfTheParentHasNoKeyOfIt() throws IOException {
    Key at = Key.utf8("m");
    records().put(CHILD, new ReplicaRecords.Assigned(AFTER_SPLIT, 0));
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(
          stored(
              assignment(REGION, KeyRange.of(Key.EMPTY, at), OTHER),
              assignment(CHILD, KeyRange.from(at), MemoryNode.SELF)));
      node.pass(Duration.ofSeconds(10));
      assertThat(node.lost.reported()).isEqualTo(Map.of(CHILD, AFTER_SPLIT));
    }
  }

  /**
   * After a restart with a planned merge, the replica of the one region is opened first, and may
   * apply the merge, with which the state of the other one is gone, at once.
   */
  @Test
  void aRegionThatIsAbsorbedBeforeItIsOpenedIsRemoved() throws IOException {
    KeyRange lower = KeyRange.of(Key.EMPTY, Key.utf8("m"));
    RegionAssignment into = assignment(REGION, lower, MemoryNode.SELF);
    RegionAssignment absorbed =
        assignment(CHILD, KeyRange.from(Key.utf8("m")), MemoryNode.SELF).planned(MERGE);
    StoredTopology merging = stored(into.planned(MERGE), absorbed);
    Operation absorb;
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(table(1, MemoryNode.SELF));
      propose(hosted(node).orElseThrow(), new Operation.Split(Key.utf8("m"), CHILD));
      node.replicas.follow(merging);
      LocalReplica child = node.topology.hosted(CHILD).orElseThrow();
      propose(child, RawClient.put("z", "v"));
      propose(child, new Operation.Freeze(MERGE.number()));
      absorb = child.store().mergeState().absorb(MERGE.number()).orElseThrow();
    }
    try (MemoryNode node = new MemoryNode(directory)) {
      ReplicaPoints.OPENED.on((point, region) -> replay(node.storage, lower, absorb));
      node.replicas.follow(merging);
      assertThat(node.topology.hosted(CHILD)).isEmpty();
      node.replicas.follow(merging);
      assertThat(records().hasEnded(CHILD)).isTrue();
      assertThat(hosted(node).orElseThrow().store().get(Key.utf8("z"))).isPresent();
    } finally {
      ReplicaPoints.OPENED.off();
    }
  }

  /** Applies a command to the region, and waits for that. */
  private static void replay(Storage storage, KeyRange range, Operation operation)
      throws IOException {
    RegionStore store = storage.region(REGION, range, Keyspace.DATA);
    CompletableFuture<Void> applied = new CompletableFuture<>();
    store.committed(
        new CommittedBatch(
            new Position(1, store.applied().index() + 1),
            List.of(new ClientCommand(RequestId.NONE, operation).encoded()),
            (index, result) -> applied.complete(null)));
    applied.join();
  }

  /** Earlier versions kept no records. */
  @Test
  void aReplicaWithAStateNeedsNoRecord() throws IOException {
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(table(1, MemoryNode.SELF));
      write(hosted(node).orElseThrow());
    }
    records().delete(REGION);
    try (MemoryNode node = new MemoryNode(directory)) {
      node.replicas.follow(table(3, MemoryNode.SELF));
      assertThat(hosted(node)).isPresent();
    }
  }

  private ReplicaRecords records() throws IOException {
    return MemoryNode.records(directory);
  }

  private static void write(LocalReplica replica) {
    propose(replica, RawClient.put("k", "v"));
  }

  private static void propose(LocalReplica replica, Operation operation) {
    ClientCommand command = new ClientCommand(RequestId.NONE, operation);
    replica.group().propose(new Command(command.encoded())).toCompletableFuture().join();
  }

  private static Optional<LocalReplica> hosted(MemoryNode node) {
    return node.topology.hosted(REGION);
  }

  private static StoredTopology table(long epoch, NodeId replica) {
    return stored(
        new RegionAssignment(REGION, KeyRange.ALL, new RegionEpoch(epoch), List.of(replica)));
  }

  private static StoredTopology moving(long epoch, NodeId from, NodeId to) {
    return stored(region(epoch, from, to));
  }

  /** Region 0 is on the other node. */
  private static StoredTopology stored(RegionAssignment... regions) {
    RegionAssignment metadata =
        new RegionAssignment(
            RegionAssignment.METADATA, KeyRange.ALL, RegionEpoch.FIRST, List.of(OTHER));
    return new StoredTopology(
        new ClusterId("c"),
        new UUID(0, 1),
        TopologyVersion.FIRST,
        List.of(),
        metadata,
        new RegionTable(List.of(regions)),
        1);
  }

  private static RegionAssignment assignment(GroupId region, KeyRange range, NodeId replica) {
    return new RegionAssignment(region, range, AFTER_SPLIT, List.of(replica));
  }

  private static RegionAssignment region(long epoch, NodeId from, NodeId to) {
    return new RegionAssignment(
        REGION,
        KeyRange.ALL,
        new RegionEpoch(epoch),
        List.of(from),
        Optional.of(ReplicaChange.move(from, to)),
        Optional.empty(),
        Optional.empty(),
        REGION);
  }
}
