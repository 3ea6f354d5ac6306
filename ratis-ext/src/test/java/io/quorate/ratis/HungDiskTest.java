package io.quorate.ratis;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.common.Failures;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.contract.ContractCluster;
import io.quorate.consensus.contract.ContractCluster.Node;
import io.quorate.model.NodeId;
import io.quorate.ratis.flow.UnappliedLog;
import io.quorate.replication.log.LogPoints;
import io.quorate.replication.log.segment.SegmentStart;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.TimeDuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicas whose disk does not respond, in the real engine: the other replicas continue. */
class HungDiskTest {
  private static final long ENTRY_KIB = 256;

  /** Longer than a follower may be silent that is to take over. */
  private static final Duration SILENCE = Duration.ofSeconds(2);

  private static final TimeDuration REQUEST_TIMEOUT =
      RaftServerConfigKeys.Rpc.REQUEST_TIMEOUT_DEFAULT;

  @TempDir Path directory;

  private final CompletableFuture<Void> disk = new CompletableFuture<>();
  private final List<String> acknowledged = new CopyOnWriteArrayList<>();
  private ContractCluster cluster;

  @AfterEach
  void closeAndCheck() {
    disk.complete(null);
    Failpoint.known().forEach(Failpoint::off);
    cluster.close();
    assertThat(cluster.violations()).isEmpty();
  }

  @ParameterizedTest(name = "with leases: {0}")
  @ValueSource(booleans = {false, true})
  void aLeaderWhoseFsyncHangsTransfersLeadership(boolean leases) throws IOException {
    start(leases);
    NodeId hung = cluster.awaitServingId();
    propose("before");
    hangFsyncOf(hung);
    CompletableFuture<ProposeResult> inFlight =
        ContractCluster.proposeAt(cluster.node(hung), "in flight");
    inFlight.thenAccept(done -> acknowledged.add("in flight"));

    commitWithout(hung);
    assertThat(disk).isNotDone();
    assertThat(inFlight).isDone();
    assertThat(failure(inFlight)).isInstanceOf(ConsensusException.Indeterminate.class);
    assertThat(failure(ContractCluster.proposeAt(cluster.node(hung), "refused")))
        .isInstanceOfAny(ConsensusException.Redirect.class, ConsensusException.Unavailable.class);
    assertThat(disk).isNotDone();

    disk.complete(null);
    awaitEqualHistories();
    transferBackTo(hung);
  }

  /** Of three nodes, one has failed. Whoever led would need the disk that hangs. */
  @Test
  void aLeaderStaysWhereNoMajorityCommitsWithoutIt() throws IOException {
    start(false);
    NodeId hung = cluster.awaitServingId();
    propose("before");
    NodeId failed = others(hung).get(0);
    cluster.stop(failed);
    await().atMost(PATIENCE).until(() -> silence(hung, failed).compareTo(SILENCE) >= 0);
    hangFsyncOf(hung);
    CompletableFuture<ProposeResult> inFlight =
        ContractCluster.proposeAt(cluster.node(hung), "in flight");

    await()
        .during(Duration.ofSeconds(2))
        .atMost(PATIENCE)
        .until(() -> cluster.node(hung).group().view().serving());
    assertThat(inFlight).isNotDone();

    disk.complete(null);
    assertThat(failure(inFlight)).isNull();
    acknowledged.add("in flight");
    awaitEqualHistories();
  }

  /** How long a follower has not responded to its leader. */
  private Duration silence(NodeId leader, NodeId follower) throws IOException {
    return ((RatisEngine) cluster.node(leader).engine())
            .division(cluster.spec())
            .getInfo()
            .getRoleInfoProto()
            .getLeaderInfo()
            .getFollowerInfoList()
            .stream()
            .filter(info -> info.getId().getId().toStringUtf8().equals(follower.value()))
            .map(info -> Duration.ofMillis(info.getLastRpcElapsedTimeMs()))
            .findAny()
            .orElse(Duration.ZERO);
  }

  @Test
  void aLeaderWhoseStateMachineStallsTransfersLeadership() throws IOException {
    start(false);
    NodeId hung = cluster.awaitServingId();
    propose("before");
    CompletableFuture<Void> applying = cluster.node(hung).machine().stallApply();
    CompletableFuture<ProposeResult> inFlight =
        ContractCluster.proposeAt(cluster.node(hung), "in flight");

    commitWithout(hung);
    assertThat(applying).isNotDone();
    assertThat(failure(inFlight)).isInstanceOf(ConsensusException.Indeterminate.class);

    applying.complete(null);
    awaitEqualHistories();
    transferBackTo(hung);
  }

  /** As where an entry is read from a part of the disk that does not respond. */
  @Test
  void aLeaderWhoseStateMachineReceivesNothingTransfersLeadership() throws IOException {
    start(false);
    NodeId hung = cluster.awaitServingId();
    propose("before");
    hang(RaftPoints.BEFORE_HAND_OVER, hung);
    CompletableFuture<ProposeResult> inFlight =
        ContractCluster.proposeAt(cluster.node(hung), "in flight");

    commitWithout(hung);
    assertThat(disk).isNotDone();
    assertThat(failure(inFlight)).isInstanceOf(ConsensusException.Indeterminate.class);

    disk.complete(null);
    awaitEqualHistories();
    transferBackTo(hung);
  }

  @Test
  void aFollowerThatCouldNotLeadIsNotSelected() throws IOException {
    start(false);
    NodeId leader = cluster.awaitServingId();
    NodeId unfit = others(leader).get(0);
    NodeId fit = others(leader).get(1);
    final CompletableFuture<Void> unfitApplies = cluster.node(unfit).machine().stallApply();
    propose("before");
    await().atMost(PATIENCE).until(() -> !((RatisEngine) cluster.node(unfit).engine()).mayLead());
    final CompletableFuture<Void> leaderApplies = cluster.node(leader).machine().stallApply();
    ContractCluster.proposeAt(cluster.node(leader), "in flight");

    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(cluster.node(unfit).group().view().serving()).isFalse();
              assertThat(cluster.node(fit).group().view().serving()).isTrue();
            });
    propose("while both hang");
    assertThat(leaderApplies).isNotDone();

    leaderApplies.complete(null);
    unfitApplies.complete(null);
    awaitEqualHistories();
  }

  /** The rest stays at the leader: Ratis bounds the number of requests, not their bytes. */
  @Test
  void aFollowerWithASlowDiskHoldsFewBytes() throws IOException {
    start(
        FastSettings.with(
            Map.of(
                "disk-stall-timeout",
                "60s",
                "entry-size-max",
                ENTRY_KIB + "KiB",
                "log-retained-for-slow-entries",
                "100000")));
    NodeId leader = cluster.awaitServingId();
    NodeId slow = others(leader).get(0);
    propose("before");
    hangFsyncOf(slow);
    long hungNanos = System.nanoTime();
    for (int i = 0; i < 50; i++) {
      propose("x".repeat(200 << 10) + i);
    }
    UnappliedLog unapplied =
        ((RatisStateMachine)
                ((RatisEngine) cluster.node(slow).engine())
                    .division(cluster.spec())
                    .getStateMachine())
            .unapplied();
    // The leader has 10 MiB for it. Two requests reach the leader's bound, which starts from zero
    // again when both have timed out at Ratis.
    long timedOut = (System.nanoTime() - hungNanos) / REQUEST_TIMEOUT.toLong(TimeUnit.NANOSECONDS);
    assertThat(unapplied.bytes()).isBetween(ENTRY_KIB << 10, (3 + 2 * timedOut) * ENTRY_KIB << 10);
    assertThat(disk).isNotDone();
    disk.complete(null);
    awaitEqualHistories();
  }

  private void start(boolean leases) throws IOException {
    Map<String, String> settings = new HashMap<>(FastSettings.with(Map.of()));
    settings.put("disk-stall-timeout", "300ms");
    if (leases) {
      settings.put("lease", "on");
      settings.remove("first-election-timeout-min");
      settings.remove("first-election-timeout-max");
    }
    start(settings);
  }

  private void start(Map<String, String> settings) throws IOException {
    cluster =
        new ContractCluster(
            new RatisEngineProvider(), new EngineSettings("raft", settings), directory, 3);
    cluster.startAll();
  }

  private void hangFsyncOf(NodeId node) {
    LogPoints.BEFORE_SYNC.on(
        (at, segment) -> {
          if (((SegmentStart) segment).owner().node().equals(node)) {
            disk.join();
          }
        });
  }

  private void hang(Failpoint point, NodeId node) {
    point.on(
        (at, subject) -> {
          if (((RaftGroupMemberId) subject).getPeerId().equals(RaftIds.peerId(node))) {
            disk.join();
          }
        });
  }

  /** Waits until another node leads, and commits there while the hung node does not lead. */
  private void commitWithout(NodeId hung) {
    NodeId next =
        await()
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(10))
            .until(
                () ->
                    others(hung).stream()
                        .filter(id -> cluster.node(id).group().view().serving())
                        .findFirst(),
                Optional::isPresent)
            .orElseThrow();
    for (int i = 0; i < 20; i++) {
      String command = "while it hangs " + i;
      ContractCluster.proposeAt(cluster.node(next), command).join();
      acknowledged.add(command);
    }
    assertThat(cluster.node(hung).group().view().serving()).isFalse();
  }

  private void transferBackTo(NodeId node) {
    await().atMost(PATIENCE).until(() -> failure(transfer(cluster.awaitServingId(), node)) == null);
    await().atMost(PATIENCE).until(() -> cluster.node(node).group().view().serving());
    propose("led by it again");
    awaitEqualHistories();
  }

  private CompletableFuture<Void> transfer(NodeId from, NodeId to) {
    return cluster
        .node(from)
        .group()
        .control(Leadership.class)
        .orElseThrow()
        .transferTo(to, Duration.ofSeconds(2))
        .toCompletableFuture();
  }

  private void propose(String command) {
    cluster.propose(command);
    acknowledged.add(command);
  }

  /** Waits until every replica has the same history, with all acknowledged commands. */
  private void awaitEqualHistories() {
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              List<String> history =
                  cluster.running().values().iterator().next().machine().commands();
              assertThat(history).containsAll(acknowledged);
              for (Node node : cluster.running().values()) {
                assertThat(node.machine().commands()).isEqualTo(history);
              }
            });
  }

  private List<NodeId> others(NodeId node) {
    return cluster.running().keySet().stream().filter(id -> !id.equals(node)).toList();
  }

  private static Throwable failure(CompletableFuture<?> future) {
    await().atMost(PATIENCE).until(future::isDone);
    Throwable failure = future.handle((done, thrown) -> thrown).join();
    return failure == null ? null : Failures.unwrap(failure);
  }
}
