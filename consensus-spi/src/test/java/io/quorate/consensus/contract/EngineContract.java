package io.quorate.consensus.contract;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.ProposeResult;
import io.quorate.consensus.SettingException;
import io.quorate.consensus.contract.ContractCluster.Node;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The contract of every engine, independent of its protocol. Each control that an engine offers has
 * a contract of its own.
 */
public abstract class EngineContract extends ContractFixture {
  private static final KeyScope SCOPE = KeyScope.key(Key.utf8("k"));

  @Test
  void everyReplicaReceivesTheSameCommandsInTheSameOrder() throws IOException {
    useShared();
    Node node = cluster.awaitServing();
    List<CompletableFuture<ProposeResult>> outcomes =
        IntStream.range(0, 500).mapToObj(i -> ContractCluster.proposeAt(node, "c" + i)).toList();
    outcomes.forEach(CompletableFuture::join);
    List<String> expected = IntStream.range(0, 500).mapToObj(i -> "c" + i).toList();
    // One thread proposed them at one replica, so they are committed in the order of the proposals.
    for (Node replica : cluster.running().values()) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(commands(replica)).isEqualTo(expected));
    }
  }

  @Test
  void aProposalReturnsTheResultOfTheStateMachineAndItsPosition() throws IOException {
    useShared();
    ProposeResult first = cluster.propose("a");
    ProposeResult second = cluster.propose("b");
    assertThat(text(first.result())).isEqualTo("did a");
    assertThat(text(second.result())).isEqualTo("did b");
    assertThat(second.position()).isGreaterThanOrEqualTo(first.position());
    for (Node replica : cluster.running().values()) {
      ContractCluster.awaitApplied(replica, second.position());
      assertThat(commands(replica)).containsExactly("a", "b");
    }
  }

  @Test
  void aSingleReplicaIsItsOwnMajority() throws IOException {
    start(1);
    ProposeResult outcome = cluster.propose("alone");
    assertThat(text(outcome.result())).isEqualTo("did alone");
    assertThat(linearizableReadIndex().covers(outcome.position())).isTrue();
  }

  @Test
  void aLinearizableReadIndexCoversAcknowledgedWrites() throws IOException {
    useShared();
    for (int i = 0; i < 50; i++) {
      ProposeResult outcome = cluster.propose("w" + i);
      Position read = linearizableReadIndex();
      assertThat(read.covers(outcome.position())).as("%s after %s", read, outcome).isTrue();
    }
  }

  @Test
  void manyConcurrentReadIndexesDoNotChangeTheState() throws IOException {
    useShared();
    cluster.propose("only");
    Node node = cluster.awaitServing();
    List<CompletableFuture<Position>> reads =
        IntStream.range(0, 2000).mapToObj(i -> readIndexAt(node, Guarantee.LINEARIZABLE)).toList();
    reads.forEach(CompletableFuture::join);
    ContractCluster.awaitApplied(node, reads.get(0).join());
    assertThat(commands(node)).containsExactly("only");
  }

  @Test
  void acknowledgedCommandsSurviveARestartOfAllReplicasWithoutAnyFlush() throws IOException {
    useShared();
    List<String> acknowledged = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      cluster.propose("k" + i);
      acknowledged.add("k" + i);
    }
    restart(List.copyOf(cluster.running().keySet()));
    cluster.propose("after");
    acknowledged.add("after");
    for (Node replica : cluster.running().values()) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(commands(replica)).isEqualTo(acknowledged));
    }
  }

  @Test
  void afterAFlushOnlyLaterCommandsAreReplayed() throws IOException {
    useShared();
    cluster.propose("flushed");
    cluster.running().values().forEach(node -> node.machine().flush());
    cluster.propose("not flushed");
    // A machine records a violation if it receives a position at or below its durable one.
    restart(List.copyOf(cluster.running().keySet()));
    cluster.propose("after");
    for (Node replica : cluster.running().values()) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(commands(replica)).containsExactly("flushed", "not flushed", "after"));
    }
  }

  @Test
  void aRemovedReplicaLeavesNothing() throws IOException {
    start(1);
    cluster.propose("removed");
    cluster.replaceByEmpty(cluster.awaitServingId(), cluster.firstMembers());
    cluster.propose("new");
    assertThat(cluster.awaitServing().machine().commands()).containsExactly("new");
  }

  @Test
  void theGroupContinuesWithoutOneReplicaWhichCatchesUpAfterItsRestart() throws IOException {
    useShared();
    cluster.propose("before");
    NodeId stopped = cluster.awaitServingId();
    cluster.stop(stopped);
    cluster.propose("meanwhile");
    cluster.start(stopped);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(commands(cluster.node(stopped))).containsExactly("before", "meanwhile"));
  }

  @Test
  void aReplicaBehindTheTruncatedLogInstallsASnapshot() throws IOException {
    start(3);
    cluster.propose("first");
    NodeId serving = cluster.awaitServingId();
    NodeId stopped =
        cluster.running().keySet().stream()
            .filter(id -> !id.equals(serving))
            .findFirst()
            .orElseThrow();
    cluster.stop(stopped);
    List<String> expected = new ArrayList<>(List.of("first"));
    // Flushes and writes alternate until the log lacks entries that the stopped replica needs.
    for (int i = 0; i < 300; i++) {
      String command = "m" + i + "-" + "x".repeat(1000);
      cluster.propose(command);
      expected.add(command);
      if (i % 25 == 24) {
        cluster.running().values().forEach(node -> node.machine().flush());
      }
    }
    awaitLogTruncated();
    cluster.start(stopped);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(cluster.node(stopped).machine().commands()).isEqualTo(expected));
    assertThat(cluster.node(stopped).machine().installs()).isPositive();
    cluster.propose("later");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(cluster.node(stopped).machine().commands()).endsWith("later"));
  }

  /** Waits until the engine has truncated the entries that every flushed state machine contains. */
  protected abstract void awaitLogTruncated();

  @Test
  void followersRedirectToTheLeader() throws IOException {
    useShared();
    if (!capabilities().hasLeader()) {
      for (Node node : cluster.running().values()) {
        await().atMost(PATIENCE).until(() -> node.group().view().serving());
        assertThat(ContractCluster.proposeAt(node, "anywhere").join()).isNotNull();
      }
      return;
    }
    cluster.propose("x");
    for (Map.Entry<NodeId, Node> entry : cluster.running().entrySet()) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                NodeId leader = cluster.awaitServingId();
                if (!entry.getKey().equals(leader)) {
                  assertThat(redirect(ContractCluster.proposeAt(entry.getValue(), "rejected")))
                      .contains(leader);
                  assertThat(redirect(readIndexAt(entry.getValue(), Guarantee.LINEARIZABLE)))
                      .contains(leader);
                }
              });
    }
    Position last = cluster.propose("y").position();
    Node serving = cluster.awaitServing();
    ContractCluster.awaitApplied(serving, last);
    assertThat(commands(serving)).containsExactly("x", "y");
  }

  @Test
  void aCommandOverTheLimitIsRejectedAndOneAtTheLimitIsNot() throws IOException {
    useShared();
    int bytesMax = capabilities().largestCommandBytes();
    Node node = cluster.awaitServing();
    assertThatThrownBy(
            () -> node.group().propose(command(bytesMax + 1)).toCompletableFuture().join())
        .hasCauseInstanceOf(ConsensusException.Invalid.class);
    node.group().propose(command(bytesMax)).toCompletableFuture().join();
    for (Node replica : cluster.running().values()) {
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(commands(replica)).hasSize(1));
    }
  }

  @Test
  void onlyOfferedGuaranteesAndControlsAreAccepted() throws IOException {
    useShared();
    ProposeResult outcome = cluster.propose("x");
    Node node = cluster.awaitServing();
    Capabilities offered = node.engine().capabilities();
    assertThat(offered).isEqualTo(capabilities());
    for (Guarantee guarantee :
        List.of(
            Guarantee.LINEARIZABLE,
            Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED,
            new Guarantee.AtLeast(outcome.position()),
            Guarantee.LOCAL)) {
      if (offered.offers(guarantee)) {
        assertThat(eventually(() -> readIndexAt(node, guarantee))).isNotNull();
      } else {
        assertThatThrownBy(() -> readIndexAt(node, guarantee).join())
            .hasCauseInstanceOf(ConsensusException.Invalid.class);
      }
    }
    assertThat(node.group().control(Leadership.class).isPresent())
        .isEqualTo(offered.controls().contains(Leadership.class));
    assertThat(offered.hasLeader()).isEqualTo(node.group().view().leader().isPresent());
    assertThat(offered.hasLeader()).isEqualTo(offered.controls().contains(Leadership.class));
    assertThat(node.group().view().members()).hasSize(3);
  }

  @Test
  void anUnknownSettingIsRejectedByName() {
    EngineSettings unknown = new EngineSettings("engine", Map.of("no-such-setting", "1"));
    assertThatThrownBy(() -> provider().capabilities(unknown))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("engine.no-such-setting");
  }

  @Test
  void withoutAMajorityNothingIsAcknowledgedAndTheFailureIsAccurate() throws IOException {
    useShared();
    cluster.propose("x");
    NodeId serving = cluster.awaitServingId();
    Node node = cluster.node(serving);
    List<NodeId> others =
        cluster.running().keySet().stream().filter(id -> !id.equals(serving)).toList();
    cluster.stop(others);
    CompletableFuture<ProposeResult> write = ContractCluster.proposeAt(node, "in doubt");
    CompletableFuture<Position> read = readIndexAt(node, Guarantee.LINEARIZABLE);
    assertThatThrownBy(read::join).hasCauseInstanceOf(ConsensusException.class);
    cluster.stop(serving);
    assertThat(write).isCompletedExceptionally();
    Throwable cause = write.handle((done, failure) -> failure).join();
    assertThat(cause).isInstanceOf(ConsensusException.class);
    assertThatThrownBy(() -> ContractCluster.proposeAt(node, "too late").join())
        .hasCauseInstanceOf(ConsensusException.class);
    for (NodeId id : List.of(serving, others.get(0), others.get(1))) {
      cluster.start(id);
    }
    Position last = cluster.propose("y").position();
    for (Node replica : cluster.running().values()) {
      ContractCluster.awaitApplied(replica, last);
      List<String> commands = commands(replica);
      assertThat(commands).startsWith("x").containsOnlyOnce("y").doesNotContain("too late");
      if (!(cause instanceof ConsensusException.Indeterminate)) {
        assertThat(commands).as("after %s", cause).doesNotContain("in doubt");
      }
    }
  }

  @Test
  void closingFailsPendingProposalsAsIndeterminate() throws IOException {
    start(1);
    cluster.propose("x");
    Node node = cluster.awaitServing();
    node.machine().withholdResults();
    CompletableFuture<ProposeResult> write = ContractCluster.proposeAt(node, "awaited");
    await().atMost(PATIENCE).until(() -> node.machine().commands().contains("awaited"));
    cluster.stop(new NodeId("n1"));
    assertThat(write.handle((done, failure) -> failure).join())
        .isInstanceOf(ConsensusException.Indeterminate.class);
  }

  @Test
  void aStateMachineWithoutCapacityReceivesNoFurtherBatch() throws IOException {
    start(1);
    cluster.propose("x");
    Node node = cluster.awaitServing();
    CompletableFuture<Void> capacity = node.machine().exhaustCapacity();
    List<CompletableFuture<ProposeResult>> outcomes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      CompletableFuture<ProposeResult> outcome = ContractCluster.proposeAt(node, "c" + i);
      outcomes.add(outcome);
      Position before = node.group().view().committed();
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  outcome.isDone()
                      || node.group().view().committed().index() > before.index()
                      || node.machine().batchesBeyondCapacity() == 1);
    }
    assertThat(node.machine().batchesBeyondCapacity()).isEqualTo(1);
    capacity.complete(null);
    outcomes.forEach(CompletableFuture::join);
    assertThat(node.machine().commands()).hasSize(21);
  }

  @Test
  void aClosedGroupRejectsProposalsAndReopensAfterARestart() throws IOException {
    start(1);
    cluster.propose("x");
    Node node = cluster.awaitServing();
    node.group().close();
    node.group().close();
    assertThatThrownBy(() -> ContractCluster.proposeAt(node, "closed").join())
        .hasCauseInstanceOf(ConsensusException.class);
    cluster.stop(new NodeId("n1"));
    cluster.start(new NodeId("n1"));
    cluster.propose("y");
    assertThat(cluster.awaitServing().machine().commands()).containsExactly("x", "y");
  }

  private void restart(List<NodeId> ids) throws IOException {
    cluster.stop(ids);
    for (NodeId id : ids) {
      cluster.start(id);
    }
  }

  private Position linearizableReadIndex() {
    return eventually(() -> readIndexAt(cluster.awaitServing(), Guarantee.LINEARIZABLE));
  }

  private static CompletableFuture<Position> readIndexAt(Node node, Guarantee guarantee) {
    return node.group().readIndex(guarantee, SCOPE).toCompletableFuture();
  }

  private static Command command(int bytes) {
    ByteBuffer payload = ByteBuffer.allocate(bytes);
    while (payload.hasRemaining()) {
      payload.put((byte) 'x');
    }
    return new Command(payload.flip());
  }

  private static Optional<NodeId> redirect(CompletableFuture<?> rejected) {
    Throwable cause = rejected.handle((done, failure) -> failure).join();
    assertThat(cause).isInstanceOf(ConsensusException.Redirect.class);
    return ((ConsensusException.Redirect) cause).leader();
  }

  private static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }
}
