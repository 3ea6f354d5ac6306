package io.quorate.consensus.contract;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Outcome;
import io.quorate.consensus.Position;
import io.quorate.consensus.SettingException;
import io.quorate.consensus.contract.ContractCluster.Node;
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
 * What any engine must do, whatever its protocol. What an engine offers as a control has a contract
 * of its own.
 */
public abstract class EngineContract extends ContractFixture {
  private static final KeyScope SCOPE = KeyScope.key(Key.utf8("k"));

  @Test
  void everyReplicaIsHandedTheSameCommandsInTheSameOrder() throws IOException {
    start(3);
    Node node = cluster.awaitServing();
    List<CompletableFuture<Outcome>> outcomes =
        IntStream.range(0, 500).mapToObj(i -> ContractCluster.proposeAt(node, "c" + i)).toList();
    outcomes.forEach(CompletableFuture::join);
    List<String> expected = IntStream.range(0, 500).mapToObj(i -> "c" + i).toList();
    // One thread proposed them at one replica, so their order is that of the proposals.
    for (Node replica : cluster.running().values()) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(replica.machine().commands()).isEqualTo(expected));
    }
  }

  @Test
  void theAnswerIsTheStateMachinesAndThePositionIsWhereItWasCommitted() throws IOException {
    start(3);
    Outcome first = cluster.propose("a");
    Outcome second = cluster.propose("b");
    assertThat(text(first.result())).isEqualTo("did a");
    assertThat(text(second.result())).isEqualTo("did b");
    assertThat(second.position()).isGreaterThanOrEqualTo(first.position());
    assertThat(cluster.awaitServing().machine().applied().covers(second.position())).isTrue();
  }

  @Test
  void aSingleReplicaIsItsOwnMajority() throws IOException {
    start(1);
    Outcome outcome = cluster.propose("alone");
    assertThat(text(outcome.result())).isEqualTo("did alone");
    Position read = readPoint(cluster.awaitServing(), Guarantee.LINEARIZABLE);
    assertThat(read.covers(outcome.position())).isTrue();
  }

  @Test
  void aLinearizableReadPointCoversWhatWasAcknowledgedBefore() throws IOException {
    start(3);
    for (int i = 0; i < 50; i++) {
      Outcome outcome = cluster.propose("w" + i);
      Position read = readPoint(cluster.awaitServing(), Guarantee.LINEARIZABLE);
      assertThat(read.covers(outcome.position())).as("%s after %s", read, outcome).isTrue();
    }
  }

  @Test
  void readPointsChangeNothingAndAreSharedUnderLoad() throws IOException {
    start(3);
    cluster.propose("only");
    Node node = cluster.awaitServing();
    List<CompletableFuture<Position>> reads =
        IntStream.range(0, 2000)
            .mapToObj(
                i -> node.group().readPoint(Guarantee.LINEARIZABLE, SCOPE).toCompletableFuture())
            .toList();
    reads.forEach(CompletableFuture::join);
    assertThat(node.machine().commands()).containsExactly("only");
  }

  @Test
  void acknowledgedCommandsSurviveARestartOfAllReplicasWithoutAnyFlush() throws IOException {
    start(3);
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
          .untilAsserted(() -> assertThat(replica.machine().commands()).isEqualTo(acknowledged));
    }
  }

  @Test
  void afterAFlushOnlyWhatCameLaterIsHandedOverAgain() throws IOException {
    start(3);
    cluster.propose("flushed");
    cluster.running().values().forEach(node -> node.machine().flush());
    cluster.propose("not flushed");
    // A machine that was handed a position at or below its durable one notes a violation.
    restart(List.copyOf(cluster.running().keySet()));
    cluster.propose("after");
    for (Node replica : cluster.running().values()) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(replica.machine().commands())
                      .containsExactly("flushed", "not flushed", "after"));
    }
  }

  @Test
  void theGroupGoesOnWithoutOneReplicaWhichCatchesUpWhenItReturns() throws IOException {
    start(3);
    cluster.propose("before");
    NodeId gone = cluster.awaitServingId();
    cluster.stop(gone);
    cluster.propose("meanwhile");
    cluster.start(gone);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(cluster.node(gone).machine().commands())
                    .containsExactly("before", "meanwhile"));
  }

  @Test
  void aReplicaThatFellBehindTheLogGetsTheState() throws IOException {
    start(3);
    cluster.propose("first");
    NodeId serving = cluster.awaitServingId();
    NodeId away =
        cluster.running().keySet().stream()
            .filter(id -> !id.equals(serving))
            .findFirst()
            .orElseThrow();
    cluster.stop(away);
    List<String> expected = new ArrayList<>(List.of("first"));
    // Flush and write in turn, until the log no longer reaches back to what the absent one has.
    for (int i = 0; i < 600; i++) {
      String command = "m" + i + "-" + "x".repeat(1000);
      cluster.propose(command);
      expected.add(command);
      if (i % 50 == 49) {
        cluster.running().values().forEach(node -> node.machine().flush());
      }
    }
    awaitLogCut();
    cluster.start(away);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(cluster.node(away).machine().commands()).isEqualTo(expected));
    assertThat(cluster.node(away).machine().installs()).isPositive();
    cluster.propose("later");
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(cluster.node(away).machine().commands()).endsWith("later"));
  }

  /** Waits until the engine has forgotten what every flushed state machine holds. */
  protected abstract void awaitLogCut();

  @Test
  void whereOneReplicaLeadsTheOthersSayWhoItIs() throws IOException {
    start(3);
    if (!capabilities().hasLeader()) {
      for (Node node : cluster.running().values()) {
        await().atMost(PATIENCE).until(() -> node.group().view().serving());
        assertThat(ContractCluster.proposeAt(node, "anywhere").join()).isNotNull();
      }
      return;
    }
    cluster.propose("x");
    NodeId leader = cluster.awaitServingId();
    for (Map.Entry<NodeId, Node> entry : cluster.running().entrySet()) {
      if (entry.getKey().equals(leader)) {
        continue;
      }
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                assertThat(redirect(ContractCluster.proposeAt(entry.getValue(), "y")))
                    .contains(leader);
                assertThat(
                        redirect(
                            entry
                                .getValue()
                                .group()
                                .readPoint(Guarantee.LINEARIZABLE, SCOPE)
                                .toCompletableFuture()))
                    .contains(leader);
              });
    }
    assertThat(cluster.awaitServing().machine().commands()).containsExactly("x");
  }

  @Test
  void aCommandOverTheLimitIsRefusedAndOneAtTheLimitIsNot() throws IOException {
    start(3);
    int most = capabilities().largestCommandBytes();
    Node node = cluster.awaitServing();
    assertThatThrownBy(() -> node.group().propose(command(most + 1)).toCompletableFuture().join())
        .hasCauseInstanceOf(ConsensusException.Invalid.class);
    node.group().propose(command(most)).toCompletableFuture().join();
    for (Node replica : cluster.running().values()) {
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(replica.machine().commands()).hasSize(1));
    }
  }

  @Test
  void whatIsOfferedIsAcceptedAndNothingElse() throws IOException {
    start(3);
    Outcome outcome = cluster.propose("x");
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
        assertThat(readPoint(node, guarantee)).isNotNull();
      } else {
        assertThatThrownBy(() -> readPoint(node, guarantee))
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
  void anUnknownSettingIsRefusedByName() {
    EngineSettings unknown = new EngineSettings("engine", Map.of("no-such-setting", "1"));
    assertThatThrownBy(() -> provider().capabilities(unknown))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("engine.no-such-setting");
  }

  @Test
  void withoutAMajorityNothingIsAcknowledgedAndTheErrorIsTrue() throws IOException {
    start(3);
    cluster.propose("x");
    NodeId serving = cluster.awaitServingId();
    Node node = cluster.node(serving);
    List<NodeId> others =
        cluster.running().keySet().stream().filter(id -> !id.equals(serving)).toList();
    cluster.stop(others);
    CompletableFuture<Outcome> write = ContractCluster.proposeAt(node, "in doubt");
    CompletableFuture<Position> read =
        node.group().readPoint(Guarantee.LINEARIZABLE, SCOPE).toCompletableFuture();
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
    cluster.propose("y");
    List<String> commands = cluster.awaitServing().machine().commands();
    assertThat(commands).startsWith("x").endsWith("y").doesNotContain("too late");
    if (!(cause instanceof ConsensusException.Indeterminate)) {
      assertThat(commands).as("after %s", cause).doesNotContain("in doubt");
    }
  }

  @Test
  void closingFailsWhatHasNoAnswerYetAsIndeterminate() throws IOException {
    start(1);
    cluster.propose("x");
    Node node = cluster.awaitServing();
    node.machine().answerNoMore();
    CompletableFuture<Outcome> write = ContractCluster.proposeAt(node, "unanswered");
    await().atMost(PATIENCE).until(() -> node.machine().commands().contains("unanswered"));
    cluster.stop(new NodeId("n1"));
    assertThat(write.handle((done, failure) -> failure).join())
        .isInstanceOf(ConsensusException.Indeterminate.class);
  }

  @Test
  void aStateMachineWithoutRoomIsHandedNothingMore() throws IOException {
    start(1);
    cluster.propose("x");
    Node node = cluster.awaitServing();
    CompletableFuture<Void> room = node.machine().takeNoMore();
    List<CompletableFuture<Outcome>> outcomes = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      CompletableFuture<Outcome> outcome = ContractCluster.proposeAt(node, "c" + i);
      outcomes.add(outcome);
      Position before = node.group().view().committed();
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  outcome.isDone()
                      || node.group().view().committed().index() > before.index()
                      || node.machine().handedWithoutRoom() == 1);
    }
    assertThat(node.machine().handedWithoutRoom()).isEqualTo(1);
    room.complete(null);
    outcomes.forEach(CompletableFuture::join);
    assertThat(node.machine().commands()).hasSize(21);
  }

  @Test
  void aGroupThatWasClosedOpensAgainInTheSameEngine() throws IOException {
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

  private static Position readPoint(Node node, Guarantee guarantee) {
    return node.group().readPoint(guarantee, SCOPE).toCompletableFuture().join();
  }

  private static Command command(int bytes) {
    ByteBuffer payload = ByteBuffer.allocate(bytes);
    while (payload.hasRemaining()) {
      payload.put((byte) 'x');
    }
    return new Command(payload.flip());
  }

  private static Optional<NodeId> redirect(CompletableFuture<?> refused) {
    Throwable cause = refused.handle((done, failure) -> failure).join();
    assertThat(cause).isInstanceOf(ConsensusException.Redirect.class);
    return ((ConsensusException.Redirect) cause).leader();
  }

  private static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }
}
