package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.BodyReference;
import io.quorate.consensus.BodyReplication.Condition;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.NodeId;
import io.quorate.ratis.BodyCluster.Proposal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bodies of groups that hibernate. */
class BodyHibernationTest {
  private static final int BYTES = 1 << 20;

  @TempDir Path directory;

  private BodyCluster cluster;
  private NodeId leader;

  @BeforeEach
  void start() throws IOException {
    cluster = BodyCluster.hibernating(directory, 3);
    cluster.start();
    leader = cluster.awaitLeader();
  }

  @AfterEach
  void closeAndCheck() throws IOException {
    cluster.close();
    assertThat(cluster.nodes().violations()).isEmpty();
  }

  private Condition restore(NodeId node, BodyReference reference) {
    return cluster.bodies(node).restore(reference).toCompletableFuture().join();
  }

  private boolean hibernates(NodeId node) {
    return cluster.nodes().node(node).group().view().hibernating();
  }

  /** A walk over the bodies verifies each of them more often than a group may be idle. */
  @Test
  void verificationNeitherStartsAGroupNorKeepsItRunning() {
    BodyReference reference = cluster.propose(leader, "put", BYTES).awaitReference();
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              assertThat(restore(leader, reference)).isEqualTo(Condition.INTACT);
              assertThat(cluster.bodies(leader).held(reference)).isPresent();
              return hibernates(leader);
            });
    cluster.awaitAllHibernate();
    for (NodeId node : cluster.nodes().running().keySet()) {
      assertThat(restore(node, reference)).isEqualTo(Condition.INTACT);
      assertThat(cluster.bodies(node).held(reference)).isPresent();
      assertThat(hibernates(node)).isTrue();
    }
  }

  @Test
  void whatIsMissingOrDamagedStartsTheGroupAndIsRestored() throws IOException {
    BodyReference reference = cluster.propose(leader, "put", BYTES).awaitReference();
    NodeId follower = cluster.runningBeside(leader).get(0);
    NodeId other = cluster.runningBeside(leader).get(1);
    ByteBuffer fragment = cluster.held(follower, reference);
    cluster.awaitAllHibernate();
    cluster.remove(follower, reference);
    assertThat(restore(follower, reference)).isEqualTo(Condition.MISSING);
    assertThat(cluster.held(follower, reference)).isEqualTo(fragment);

    cluster.awaitAllHibernate();
    cluster.corrupt(other, reference);
    assertThat(restore(other, reference)).isEqualTo(Condition.DAMAGED);
    assertThat(restore(other, reference)).isEqualTo(Condition.INTACT);
  }

  @Test
  void aReadAndAWriteStartTheGroup() {
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    BodyReference reference = proposal.awaitReference();
    cluster.awaitAllHibernate();
    assertThatThrownBy(() -> cluster.bodies(leader).read(reference).toCompletableFuture().join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class);
    await()
        .atMost(PATIENCE)
        .ignoreExceptionsInstanceOf(CompletionException.class)
        .until(
            () ->
                cluster
                    .bodies(leader)
                    .read(reference)
                    .toCompletableFuture()
                    .join()
                    .equals(proposal.body));

    cluster.awaitAllHibernate();
    assertThatThrownBy(() -> cluster.propose(leader, "later", BYTES).outcome().join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class);
    assertThatThrownBy(() -> cluster.bodies(leader).prepare(List.of(leader)))
        .isInstanceOf(ConsensusException.Unavailable.class);
    cluster.propose(cluster.awaitLeader(), "later", BYTES).awaitReference();
  }

  /** It would fail if the replica ended, although nothing is wrong. */
  @Test
  void aBodyOnItsWayKeepsTheGroupRunning() {
    List<NodeId> followers = cluster.runningBeside(leader);
    List<CompletableFuture<Void>> disks =
        followers.stream().map(node -> cluster.gate(node).hold()).toList();
    Proposal proposal = cluster.propose(leader, "put", BYTES);
    await()
        .atMost(PATIENCE)
        .during(Duration.ofSeconds(3))
        .until(() -> !hibernates(leader) && !proposal.outcome().isDone());
    disks.forEach(disk -> disk.complete(null));
    assertThat(proposal.awaitReference()).isNotNull();
  }
}
