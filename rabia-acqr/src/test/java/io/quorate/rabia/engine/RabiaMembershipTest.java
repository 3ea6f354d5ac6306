package io.quorate.rabia.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.consensus.contract.ContractCluster.Node;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A configuration change must not complete before its new member holds the state (S3). */
class RabiaMembershipTest {
  private static final NodeId N1 = new NodeId("n1");

  @TempDir Path directory;

  private ContractCluster cluster;
  private List<Member> first;

  @AfterEach
  void close() {
    cluster.close();
  }

  private void start(Map<String, String> settings) throws IOException {
    cluster =
        new ContractCluster(
            new RabiaEngineProvider(), new EngineSettings("rabia", settings), directory, 3);
    cluster.startAll().awaitServing();
    cluster.propose("before");
    first = cluster.firstMembers();
  }

  private CompletableFuture<Void> change(List<Member> members) {
    ConsensusGroup group = cluster.node(cluster.awaitServingId()).group();
    return group
        .control(Membership.class)
        .orElseThrow()
        .change(members, group.view().epoch(), 1)
        .toCompletableFuture();
  }

  private static Member unreachableMember(String id) {
    return new Member(new NodeId(id), InetSocketAddress.createUnresolved("127.0.0.1", 1));
  }

  @Test
  void aMemberThatNeverCatchesUpIsNotAdded() throws IOException {
    start(Map.of("join-timeout", "300ms"));
    Member absent = unreachableMember("n9");

    assertThatThrownBy(() -> change(List.of(first.get(0), first.get(1), absent)).join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("Nothing was changed")
        .hasMessageContaining("rabia.join-timeout");

    cluster.propose("after");
    assertThat(cluster.node(N1).group().view()).extracting(GroupStatus::members).isEqualTo(first);
  }

  @Test
  void twoMembersAreNotReplacedAtOnce() throws IOException {
    start(Map.of());
    assertThatThrownBy(
            () ->
                change(List.of(first.get(0), unreachableMember("n8"), unreachableMember("n9")))
                    .join())
        .hasCauseInstanceOf(ConsensusException.Invalid.class)
        .hasMessageContaining("adds one member, removes one, or replaces one");
  }

  /** Of two members one would be off: they could not even change their members again. */
  @Test
  void aMemberWithoutWhichNoMajorityRespondsIsNotRemoved() throws IOException {
    start(Map.of());
    NodeId off = first.get(2).node();
    cluster.stop(off);
    RabiaReplica replica = (RabiaReplica) cluster.node(N1).group();
    await().atMost(ContractCluster.PATIENCE).until(() -> !replica.isReachable(off));
    CompletableFuture<Void> removal =
        replica
            .control(Membership.class)
            .orElseThrow()
            .change(List.of(first.get(0), first.get(2)), replica.view().epoch(), 1)
            .toCompletableFuture();
    assertThatThrownBy(removal::join)
        .hasCauseInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("most of the members after the change do not respond");
    cluster.propose("after");
    assertThat(cluster.node(N1).group().view().members()).isEqualTo(first);
  }

  /** Its node runs without a replica of the group, for example because that is lost. */
  @Test
  void aMemberThatHasNotReportedDoesNotCountThoughItsNodeResponds() throws IOException {
    start(Map.of());
    NodeId without = first.get(2).node();
    cluster.stop(N1);
    cluster.node(without).group().close();
    cluster.start(N1);
    RabiaReplica replica = (RabiaReplica) cluster.node(N1).group();
    await()
        .atMost(ContractCluster.PATIENCE)
        .until(() -> replica.isReachable(without) && replica.view().serving());
    assertThatThrownBy(() -> change(List.of(first.get(0), first.get(2))).join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("most of the members after the change do not respond");
    cluster.propose("after");
  }

  /** After a successful change one of the other members may fail. */
  @Test
  void aChangeSucceedsWhenItsNewMemberHoldsTheState() throws Exception {
    start(Map.of());
    cluster.stop(first.get(2).node());
    Member joiner = cluster.startJoiner("n4");

    change(List.of(first.get(0), first.get(1), joiner)).get(60, TimeUnit.SECONDS);

    Node joined = cluster.node(joiner.node());
    assertThat(joined.machine().commands()).containsExactly("before");
  }

  /** Its batches have other numbers than those of the replica before, which were executed. */
  @Test
  void aMemberThatReturnsWithoutItsLogProposes() throws Exception {
    start(Map.of());
    NodeId returning = first.get(2).node();
    for (int i = 0; i < 20; i++) {
      proposeAt(returning, "former " + i);
    }
    List<Member> others = first.subList(0, 2);
    change(others).get(60, TimeUnit.SECONDS);
    cluster.replaceByEmpty(returning, others);
    change(first).get(60, TimeUnit.SECONDS);

    for (int i = 0; i < 3; i++) {
      proposeAt(returning, "later " + i);
    }

    assertThat(cluster.node(returning).machine().commands())
        .endsWith("later 0", "later 1", "later 2")
        .doesNotHaveDuplicates();
  }

  private void proposeAt(NodeId node, String command) {
    await()
        .atMost(ContractCluster.PATIENCE)
        .until(() -> cluster.node(node).group().view().serving());
    assertThat(ContractCluster.proposeAt(cluster.node(node), command))
        .succeedsWithin(ContractCluster.PATIENCE);
  }
}
