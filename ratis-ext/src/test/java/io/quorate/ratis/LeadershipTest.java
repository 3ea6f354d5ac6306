package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.consensus.contract.ContractCluster.Node;
import io.quorate.failpoint.Failpoint;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Handing leadership over, and leases, on the real engine. */
class LeadershipTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final KeyScope SCOPE = KeyScope.key(Key.utf8("k"));

  @TempDir Path directory;

  private ContractCluster cluster;

  @AfterEach
  void closeAndCheck() {
    cluster.close();
    assertThat(cluster.violations()).isEmpty();
  }

  /** Voters that are bound to the leader elect nobody else, unless it frees them first. */
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void underALeaseLeadershipGoesWhereItIsSentAndBack(int nodes) throws IOException {
    start(nodes, "on");
    cluster.propose("x");
    NodeId from = cluster.awaitServingId();
    NodeId to = anyBesides(from);
    awaitLeaseReads(cluster.node(from));

    transfer(from, to);
    ProposeResult write = ContractCluster.proposeAt(cluster.node(to), "y").join();
    awaitLeaseReads(cluster.node(to));
    assertThat(leaseRead(cluster.node(to)).join().covers(write.position())).isTrue();
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(leaseRead(cluster.node(from)).handle((read, failure) -> failure).join())
                    .isInstanceOf(ConsensusException.Redirect.class));

    transfer(to, from);
    assertThat(cluster.node(from).group().view().leader()).contains(from);
    ContractCluster.proposeAt(cluster.node(from), "z").join();
    assertThat(cluster.node(from).machine().commands()).containsExactly("x", "y", "z");
  }

  @Test
  void aHandOverThatCannotBeDoneLeavesTheLeaderAndItsLease() throws IOException {
    start(3, "on");
    cluster.propose("x");
    NodeId leader = cluster.awaitServingId();
    NodeId away = anyBesides(leader);
    awaitLeaseReads(cluster.node(leader));
    cluster.stop(away);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThatThrownBy(
                        () ->
                            leadership(leader)
                                .transferTo(away, TIMEOUT)
                                .toCompletableFuture()
                                .join())
                    .hasCauseInstanceOf(ConsensusException.Unavailable.class));
    assertThat(ContractCluster.proposeAt(cluster.node(leader), "y").join()).isNotNull();
    awaitLeaseReads(cluster.node(leader));
  }

  @Test
  void thereIsNoTimeToHandOverWhileVotersAreBound() throws IOException {
    start(3, "on");
    cluster.propose("x");
    NodeId leader = cluster.awaitServingId();
    awaitLeaseReads(cluster.node(leader));
    NodeId to = anyBesides(leader);
    assertThatThrownBy(
            () ->
                leadership(leader)
                    .transferTo(to, Duration.ofMillis(1))
                    .toCompletableFuture()
                    .join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class);
    assertThat(ContractCluster.proposeAt(cluster.node(leader), "y").join()).isNotNull();
    awaitLeaseReads(cluster.node(leader));
  }

  /** Nothing of it is in the log, and the replica knows who leads. */
  @Test
  void aProposalThatMeetsAHandOverIsRedirected() throws Exception {
    start(3, "off");
    cluster.propose("x");
    NodeId from = cluster.awaitServingId();
    NodeId to = anyBesides(from);
    CountDownLatch underWay = new CountDownLatch(1);
    CountDownLatch handedOver = new CountDownLatch(1);
    Failpoint beforePropose = RaftPoints.BEFORE_PROPOSE;
    beforePropose.on(
        (at, group) -> {
          beforePropose.off();
          underWay.countDown();
          awaitUninterruptibly(handedOver);
        });
    CompletableFuture<ProposeResult> proposal = ContractCluster.proposeAt(cluster.node(from), "y");
    underWay.await();
    transfer(from, to);
    await()
        .atMost(PATIENCE)
        .until(() -> cluster.node(from).group().view().leader().equals(Optional.of(to)));
    handedOver.countDown();
    Throwable failure = proposal.handle((done, why) -> why).get(30, TimeUnit.SECONDS);
    assertThat(failure).isInstanceOf(ConsensusException.Redirect.class);
    assertThat(((ConsensusException.Redirect) failure).leader()).contains(to);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void onlyAMemberCanTakeOver() throws IOException {
    start(3, "off");
    cluster.propose("x");
    NodeId leader = cluster.awaitServingId();
    assertThatThrownBy(
            () ->
                leadership(leader)
                    .transferTo(new NodeId("stranger"), TIMEOUT)
                    .toCompletableFuture()
                    .join())
        .hasCauseInstanceOf(ConsensusException.Invalid.class);
    leadership(leader).transferTo(leader, TIMEOUT).toCompletableFuture().join();
    assertThat(cluster.awaitServingId()).isEqualTo(leader);
  }

  @Test
  void afterClosingThereIsNothingToHandOver() throws IOException {
    start(3, "off");
    cluster.propose("x");
    NodeId leader = cluster.awaitServingId();
    Leadership control = leadership(leader);
    NodeId other = anyBesides(leader);
    cluster.stop(leader);
    assertThatThrownBy(() -> control.transferTo(other, TIMEOUT).toCompletableFuture().join())
        .hasCauseInstanceOf(ConsensusException.class);
  }

  private void start(int nodes, String lease) throws IOException {
    Map<String, String> settings = FastSettings.with(Map.of("lease", lease));
    if (lease.equals("on")) {
      settings.remove("first-election-timeout-min");
      settings.remove("first-election-timeout-max");
    }
    cluster =
        new ContractCluster(
            new RatisEngineProvider(), new EngineSettings("raft", settings), directory, nodes);
    cluster.startAll();
  }

  /** Waits until a read is answered without asking anybody. */
  private static void awaitLeaseReads(Node node) {
    await().atMost(PATIENCE).until(() -> leaseRead(node).isDone());
  }

  private static CompletableFuture<Position> leaseRead(Node node) {
    return node.group()
        .readIndex(Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED, SCOPE)
        .toCompletableFuture();
  }

  /** Succeeds at the first attempt that is made with a target that can take over. */
  private void transfer(NodeId from, NodeId to) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              Throwable failure =
                  leadership(from)
                      .transferTo(to, TIMEOUT)
                      .toCompletableFuture()
                      .handle((done, why) -> why)
                      .join();
              if (failure != null) {
                assertThat(failure).hasMessageContaining("is away or behind");
              }
              return failure == null;
            });
    await().atMost(PATIENCE).until(() -> cluster.node(to).group().view().serving());
  }

  private Leadership leadership(NodeId node) {
    return cluster.node(node).group().control(Leadership.class).orElseThrow();
  }

  private NodeId anyBesides(NodeId node) {
    List<NodeId> others =
        cluster.running().keySet().stream().filter(id -> !id.equals(node)).toList();
    return others.get(0);
  }
}
