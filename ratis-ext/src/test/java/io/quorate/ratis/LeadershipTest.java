package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.consensus.contract.ContractCluster.Node;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leadership transfers and leases in the real engine. */
class LeadershipTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final KeyScope SCOPE = KeyScope.key(Key.utf8("k"));

  private static final Failpoint BEFORE_ACKNOWLEDGEMENT =
      Failpoint.named("raft.append.before-acknowledgement");

  private static final Failpoint REQUEST_RECEIVED = Failpoint.named("raft.request.received");

  @TempDir Path directory;

  private final CountDownLatch acknowledgements = new CountDownLatch(1);
  private ContractCluster cluster;

  @AfterEach
  void closeAndCheck() {
    acknowledgements.countDown();
    BEFORE_ACKNOWLEDGEMENT.off();
    REQUEST_RECEIVED.off();
    cluster.close();
    assertThat(cluster.violations()).isEmpty();
  }

  /** Voters elect no other leader until their grants expire, so the leader lets them expire. */
  @ParameterizedTest
  @ValueSource(ints = {3, 5})
  void leadershipIsTransferredThereAndBackUnderALease(int nodes) throws IOException {
    start(nodes, "on");
    cluster.propose("x");
    NodeId from = cluster.awaitServingId();
    NodeId to = anyExcept(from);
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
  void aFailedTransferKeepsTheLeaderAndItsLease() throws IOException {
    start(3, "on");
    cluster.propose("x");
    NodeId leader = cluster.awaitServingId();
    NodeId stopped = anyExcept(leader);
    awaitLeaseReads(cluster.node(leader));
    cluster.stop(stopped);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThatThrownBy(
                        () ->
                            leadership(leader)
                                .transferTo(stopped, TIMEOUT)
                                .toCompletableFuture()
                                .join())
                    .hasCauseInstanceOf(ConsensusException.Unavailable.class));
    assertThat(ContractCluster.proposeAt(cluster.node(leader), "y").join()).isNotNull();
    awaitLeaseReads(cluster.node(leader));
  }

  /** Ratis would attach the second transfer to the first, and fail it with the first timeout. */
  @Test
  void aTransferOutlastsAnEarlierOneToTheSameTarget() throws Exception {
    startWithSlowElections();
    cluster.propose("x");
    NodeId from = cluster.awaitServingId();
    NodeId to = anyExcept(from);
    holdAnEntryUnacknowledged(from);
    CompletionStage<Void> first = leadership(from).transferTo(to, Duration.ofMillis(300));
    CompletionStage<Void> second = leadership(from).transferTo(to, PATIENCE);
    assertThatThrownBy(() -> first.toCompletableFuture().join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class);
    acknowledgements.countDown();
    second.toCompletableFuture().join();
    await()
        .atMost(PATIENCE)
        .until(() -> cluster.node(to).group().view().leader().equals(Optional.of(to)));
  }

  @Test
  void aTransferWaitsForAnotherOneNoLongerThanItsTimeout() throws Exception {
    startWithSlowElections();
    cluster.propose("x");
    NodeId from = cluster.awaitServingId();
    NodeId to = anyExcept(from);
    holdAnEntryUnacknowledged(from);
    CompletionStage<Void> first = leadership(from).transferTo(to, PATIENCE);
    CompletionStage<Void> second = leadership(from).transferTo(to, Duration.ofMillis(100));
    assertThatThrownBy(() -> second.toCompletableFuture().join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("no time left");
    acknowledgements.countDown();
    first.toCompletableFuture().join();
  }

  /** The group accepts no writes while a transfer waits for a target that cannot take over. */
  @Test
  void aTransferWaitsForItsTargetNoLongerThanAnElectionTakes() throws Exception {
    start(3, "off");
    cluster.propose("x");
    NodeId from = cluster.awaitServingId();
    holdAnEntryUnacknowledged(from);
    CompletableFuture<Void> transfer =
        leadership(from)
            .transferTo(anyExcept(from), Duration.ofHours(1))
            .toCompletableFuture()
            .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThatThrownBy(transfer::join).hasCauseInstanceOf(ConsensusException.Unavailable.class);
    acknowledgements.countDown();
    cluster.propose("z");
  }

  /** Ratis does not cancel the timer of a transfer that has ended. */
  @Test
  void theTimeoutOfAnEarlierTransferDoesNotEndThisOne() throws Exception {
    startWithSlowElections();
    cluster.propose("x");
    NodeId from = cluster.awaitServingId();
    NodeId to = anyExcept(from);
    Duration timeout = Duration.ofSeconds(2);
    long firstEndsNanos = System.nanoTime() + timeout.toNanos();
    leadership(from).transferTo(to, timeout).toCompletableFuture().join();
    await().atMost(PATIENCE).until(() -> cluster.node(to).group().view().serving());
    leadership(to).transferTo(from, PATIENCE).toCompletableFuture().join();
    await().atMost(PATIENCE).until(() -> cluster.node(from).group().view().serving());

    holdAnEntryUnacknowledged(from);
    CompletableFuture<Void> second =
        leadership(from).transferTo(to, PATIENCE).toCompletableFuture();
    await().atMost(PATIENCE).until(() -> System.nanoTime() - firstEndsNanos > 0);
    acknowledgements.countDown();
    second.join();
  }

  /** Until {@code acknowledgements} is at zero, no follower is up to date: transfers wait. */
  private void holdAnEntryUnacknowledged(NodeId leader) throws InterruptedException {
    CountDownLatch received = new CountDownLatch(2);
    BEFORE_ACKNOWLEDGEMENT.on(
        (at, group) -> {
          received.countDown();
          if (acknowledgements.getCount() > 0) {
            throw new IOException("lost");
          }
        });
    ContractCluster.proposeAt(cluster.node(leader), "y");
    assertThat(received.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aTransferFailsIfItsTimeoutIsShorterThanTheLeaseGrants() throws IOException {
    start(3, "on");
    cluster.propose("x");
    NodeId leader = cluster.awaitServingId();
    awaitLeaseReads(cluster.node(leader));
    NodeId to = anyExcept(leader);
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

  /** The command is not in the log, and the replica knows the new leader. */
  @Test
  void aProposalDuringALeadershipTransferIsRedirected() throws Exception {
    start(3, "off");
    cluster.propose("x");
    NodeId from = cluster.awaitServingId();
    NodeId to = anyExcept(from);
    CountDownLatch proposing = new CountDownLatch(1);
    CountDownLatch transferred = new CountDownLatch(1);
    Failpoint beforePropose = RaftPoints.BEFORE_PROPOSE;
    beforePropose.on(
        (at, group) -> {
          beforePropose.off();
          proposing.countDown();
          awaitUninterruptibly(transferred);
        });
    CompletableFuture<ProposeResult> proposal = ContractCluster.proposeAt(cluster.node(from), "y");
    proposing.await();
    transfer(from, to);
    await()
        .atMost(PATIENCE)
        .until(() -> cluster.node(from).group().view().leader().equals(Optional.of(to)));
    transferred.countDown();
    Throwable failure = proposal.handle((done, thrown) -> thrown).get(30, TimeUnit.SECONDS);
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
  void leadershipIsTransferredOnlyToAMember() throws IOException {
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
  void aTransferAtAClosedNodeFails() throws IOException {
    start(3, "off");
    cluster.propose("x");
    NodeId leader = cluster.awaitServingId();
    Leadership control = leadership(leader);
    NodeId other = anyExcept(leader);
    cluster.stop(leader);
    assertThatThrownBy(() -> control.transferTo(other, TIMEOUT).toCompletableFuture().join())
        .hasCauseInstanceOf(ConsensusException.class);
  }

  @Test
  void aGroupWithTheShortestEntriesHasALeader() throws IOException {
    cluster =
        new ContractCluster(
            new RatisEngineProvider(),
            new EngineSettings("raft", FastSettings.with(Map.of("entry-size-max", "64KiB"))),
            directory,
            3);
    cluster.startAll();
    assertThat(cluster.propose("x").position()).isNotNull();
  }

  /** The leader ends before one of the others has received anything. */
  @Test
  void aReplicaWithoutEntriesVotes() throws IOException {
    create(3, "off", Map.of());
    NodeId late = new NodeId("n3");
    cluster.start(new NodeId("n1"));
    cluster.start(new NodeId("n2"));
    cluster.propose("x");
    NodeId leader = cluster.awaitServingId();
    ByteString to = RaftIds.peerId(late).toByteString();
    ByteString from = RaftIds.peerId(leader).toByteString();
    REQUEST_RECEIVED.on(
        (at, header) -> {
          RaftRpcRequestProto request = (RaftRpcRequestProto) header;
          if (request.getReplyId().equals(to) && request.getRequestorId().equals(from)) {
            throw new IOException("lost");
          }
        });
    cluster.start(late);
    cluster.stop(leader);
    cluster.propose("y");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(cluster.node(late).machine().commands()).containsExactly("x", "y"));
  }

  private void start(int nodes, String lease) throws IOException {
    create(nodes, lease, Map.of());
    cluster.startAll();
  }

  /** Elections, and so transfers, may take longer than a test is patient, but for the first one. */
  private void startWithSlowElections() throws IOException {
    create(3, "off", Map.of("election-timeout-min", "30s", "election-timeout-max", "60s"));
    cluster.startAll();
  }

  private void create(int nodes, String lease, Map<String, String> more) {
    Map<String, String> settings = FastSettings.with(Map.of("lease", lease));
    settings.putAll(more);
    if (lease.equals("on")) {
      settings.remove("first-election-timeout-min");
      settings.remove("first-election-timeout-max");
    }
    cluster =
        new ContractCluster(
            new RatisEngineProvider(), new EngineSettings("raft", settings), directory, nodes);
  }

  /** Waits until a read completes without a request to other replicas. */
  private static void awaitLeaseReads(Node node) {
    await().atMost(PATIENCE).until(() -> leaseRead(node).isDone());
  }

  private static CompletableFuture<Position> leaseRead(Node node) {
    return node.group()
        .readIndex(Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED, SCOPE)
        .toCompletableFuture();
  }

  /**
   * Retries only while the target is unreachable, behind, or slow on a machine under load, or the
   * leader has lost its leadership there.
   */
  private void transfer(NodeId from, NodeId to) {
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              long term = cluster.node(from).group().view().epoch();
              Throwable failure =
                  leadership(from)
                      .transferTo(to, TIMEOUT)
                      .toCompletableFuture()
                      .handle((done, thrown) -> thrown)
                      .join();
              if (failure != null && !hasLostLeadership(from, term)) {
                assertThat(failure).hasMessageFindingMatch("is away or behind|TIMED_OUT");
              }
              return failure == null || cluster.node(to).group().view().serving();
            });
    await().atMost(PATIENCE).until(() -> cluster.node(to).group().view().serving());
  }

  private boolean hasLostLeadership(NodeId node, long term) {
    GroupStatus now = cluster.node(node).group().view();
    return now.epoch() > term || !now.leader().equals(Optional.of(node));
  }

  private Leadership leadership(NodeId node) {
    return cluster.node(node).group().control(Leadership.class).orElseThrow();
  }

  private NodeId anyExcept(NodeId node) {
    List<NodeId> others =
        cluster.running().keySet().stream().filter(id -> !id.equals(node)).toList();
    return others.get(0);
  }
}
