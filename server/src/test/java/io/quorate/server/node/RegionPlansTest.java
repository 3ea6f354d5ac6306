package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.server.config.ClusterId;
import io.quorate.server.node.replicas.RegionPlans;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionTable;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologyVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Changes of members that take long, or fail. */
class RegionPlansTest {
  private static final GroupId REGION = new GroupId(1);

  @TempDir private Path directory;

  private MemoryNode node;
  private RegionPlans plans;
  private HeldGroup group;
  private CompletionStage<Optional<RegionEpoch>> received =
      CompletableFuture.completedFuture(Optional.of(new RegionEpoch(2)));
  private CompletionStage<Boolean> isPlanned = CompletableFuture.completedFuture(true);
  private long version;

  /** Plans that a replica joins the region, of which this node has one. */
  @BeforeEach
  void open() throws IOException {
    node = new MemoryNode(directory);
    plans =
        new RegionPlans(
            node.topology,
            Optional.empty(),
            (receiver, region) -> received,
            (region, epoch) -> isPlanned);
    learn(assignment(1, Optional.empty()));
    node.replicas.follow(node.topology.stored().orElseThrow());
    LocalReplica replica = node.topology.hosted(REGION).orElseThrow();
    group = new HeldGroup(replica.group());
    node.topology.host(new LocalReplica(replica.assignment(), group, replica.store()));
    learn(assignment(2, Optional.of(ReplicaChange.add(MemoryNode.OTHER))));
  }

  @AfterEach
  void close() {
    node.close();
  }

  @Test
  void aPlanIsCarriedOutOnce() {
    plans.run();
    plans.run();
    assertThat(group.requested()).containsExactly(List.of(MemoryNode.SELF, MemoryNode.OTHER));
    assertThat(plans.confirmed(REGION)).isEmpty();
    group.complete(0);
    assertThat(plans.confirmed(REGION)).contains(new RegionEpoch(2));
    plans.run();
    assertThat(group.requested()).hasSize(1);
  }

  @Test
  void aPlanThatFailsIsRepeated() {
    plans.run();
    group.changes.get(0).completeExceptionally(new ConsensusException.Unavailable("no response"));
    assertThat(plans.confirmed(REGION)).isEmpty();
    assertThat(plans.problem(REGION)).contains("no response");
    plans.run();
    group.complete(1);
    assertThat(plans.confirmed(REGION)).contains(new RegionEpoch(2));
    assertThat(plans.problem(REGION)).isEmpty();
  }

  /** It may be about to remove a former replica, with entries that its group acknowledges. */
  @Test
  void noNodeBecomesAMemberBeforeItKnowsThePlan() {
    received = CompletableFuture.completedFuture(Optional.empty());
    plans.run();
    received = CompletableFuture.completedFuture(Optional.of(new RegionEpoch(1)));
    plans.run();
    received = CompletableFuture.failedFuture(new ConsensusException.Unavailable("no response"));
    plans.run();
    assertThat(group.requested()).isEmpty();
    received = CompletableFuture.completedFuture(Optional.of(new RegionEpoch(2)));
    plans.run();
    assertThat(group.requested()).hasSize(1);
  }

  /** It may have been withdrawn long ago, or be done and undone. */
  @Test
  void aPlanIsCarriedOutOnlyIfRegion0ConfirmsIt() {
    isPlanned = CompletableFuture.completedFuture(false);
    plans.run();
    isPlanned = CompletableFuture.failedFuture(new ConsensusException.Unavailable("no response"));
    plans.run();
    assertThat(group.requested()).isEmpty();
    isPlanned = CompletableFuture.completedFuture(true);
    plans.run();
    assertThat(group.requested()).hasSize(1);
  }

  /** Its confirmation was delayed. */
  @Test
  void aFormerPlanThatIsConfirmedLateChangesNothing() {
    CompletableFuture<Boolean> late = new CompletableFuture<>();
    isPlanned = late;
    plans.run();
    learn(assignment(3, Optional.of(ReplicaChange.remove(MemoryNode.OTHER))));
    isPlanned = CompletableFuture.completedFuture(true);
    plans.run();
    late.complete(true);
    assertThat(group.requested()).containsExactly(List.of(MemoryNode.SELF));
    group.complete(0);
    assertThat(plans.confirmed(REGION)).contains(new RegionEpoch(3));
  }

  /** The new member of the former plan may never respond. */
  @Test
  void aLaterPlanDoesNotWaitForAFormerOne() {
    plans.run();
    learn(assignment(3, Optional.of(ReplicaChange.remove(MemoryNode.OTHER))));
    plans.run();
    assertThat(group.requested())
        .containsExactly(List.of(MemoryNode.SELF, MemoryNode.OTHER), List.of(MemoryNode.SELF));
    group.complete(1);
    assertThat(plans.confirmed(REGION)).contains(new RegionEpoch(3));
  }

  @Test
  void aFormerPlanThatEndsLateConfirmsNothing() {
    plans.run();
    learn(assignment(3, Optional.of(ReplicaChange.remove(MemoryNode.OTHER))));
    plans.run();
    group.complete(0);
    assertThat(plans.confirmed(REGION)).isEmpty();
    plans.run();
    assertThat(group.requested()).as("the later one is still in progress").hasSize(2);
    group.complete(1);
    assertThat(plans.confirmed(REGION)).contains(new RegionEpoch(3));
  }

  /** It may be down: the group has a majority without it. */
  @Test
  void aNodeThatIsAMemberAlreadyIsNotWaitedFor() {
    received = CompletableFuture.failedFuture(new ConsensusException.Unavailable("no response"));
    group.members = List.of(MemoryNode.SELF, MemoryNode.OTHER);
    plans.run();
    assertThat(group.requested()).containsExactly(List.of(MemoryNode.SELF, MemoryNode.OTHER));
    group.complete(0);
    assertThat(plans.confirmed(REGION)).contains(new RegionEpoch(2));
  }

  /** A node that the group has lost may be dead, and could not be added again. */
  @Test
  void aGroupThatMadeAMoveBeforeItWasTakenBackKeepsItsMembers() {
    NodeId dead = new NodeId("n3");
    learn(
        assignment(
            3,
            List.of(MemoryNode.SELF, dead),
            Optional.of(ReplicaChange.remove(MemoryNode.OTHER))));
    group.members = List.of(MemoryNode.SELF, MemoryNode.OTHER);
    plans.run();
    group.members = List.of(MemoryNode.SELF, MemoryNode.OTHER, dead);
    group.changes.get(0).completeExceptionally(new ConsensusException.Overloaded("", null));
    plans.run();
    assertThat(plans.problem(REGION)).contains("The addresses of the members are not known.");
    group.members = List.of(MemoryNode.SELF);
    plans.run();
    group.complete(1);
    assertThat(group.requested())
        .containsExactly(List.of(MemoryNode.SELF, MemoryNode.OTHER), List.of(MemoryNode.SELF));
    assertThat(plans.confirmed(REGION)).contains(new RegionEpoch(3));
  }

  private void learn(RegionAssignment region) {
    RegionAssignment metadata =
        new RegionAssignment(
            RegionAssignment.METADATA, KeyRange.ALL, RegionEpoch.FIRST, List.of(MemoryNode.OTHER));
    node.topology.learn(
        new StoredTopology(
            new ClusterId("c"),
            new UUID(0, 1),
            new TopologyVersion(++version),
            List.of(),
            metadata,
            new RegionTable(List.of(region)),
            2));
  }

  private static RegionAssignment assignment(long epoch, Optional<ReplicaChange> change) {
    return assignment(epoch, List.of(MemoryNode.SELF), change);
  }

  private static RegionAssignment assignment(
      long epoch, List<NodeId> replicas, Optional<ReplicaChange> change) {
    return new RegionAssignment(
        REGION,
        KeyRange.ALL,
        new RegionEpoch(epoch),
        replicas,
        change,
        Optional.empty(),
        Optional.empty(),
        REGION);
  }
}
