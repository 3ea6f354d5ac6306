package io.quorate.consensus.contract;

import static io.quorate.consensus.contract.ContractCluster.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Outcome;
import io.quorate.consensus.Position;
import io.quorate.consensus.SettingException;
import io.quorate.consensus.contract.ContractCluster.Node;
import io.quorate.consensus.quorum.Merged;
import io.quorate.consensus.quorum.QuorumReads;
import io.quorate.consensus.quorum.Share;
import io.quorate.consensus.quorum.ShareMerge;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What any engine must do, whatever its protocol. Replicas run in one JVM over real sockets and
 * files; a state machine that records what it is handed notes every breach.
 */
public abstract class EngineContract {
  private static final KeyScope SCOPE = KeyScope.key(Key.utf8("k"));

  @TempDir Path directory;

  private ContractCluster cluster;

  /** The engine under test. */
  protected abstract ConsensusEngineProvider provider();

  /**
   * Settings under which replicas agree on a leader quickly, and under which a few hundred KiB
   * after a flush are enough for the log to be cut.
   */
  protected abstract EngineSettings settings();

  private ContractCluster start(int nodes) throws IOException {
    cluster = new ContractCluster(provider(), settings(), directory, nodes);
    return cluster.startAll();
  }

  /** Most of what is awaited happens within milliseconds. */
  @BeforeAll
  static void pollOften() {
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(Duration.ofMillis(20));
  }

  @AfterAll
  static void pollAsBefore() {
    Awaitility.reset();
  }

  @AfterEach
  void closeAndCheck() {
    if (cluster != null) {
      cluster.close();
      assertThat(cluster.violations()).isEmpty();
    }
  }

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

  /** For {@link #awaitLogCut}: where the nodes keep their files. */
  protected final Path directory() {
    return directory;
  }

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
  void leadershipGoesWhereItIsSent() throws IOException {
    start(3);
    if (!capabilities().controls().contains(Leadership.class)) {
      assertThat(capabilities().hasLeader()).isFalse();
      return;
    }
    cluster.propose("x");
    NodeId from = cluster.awaitServingId();
    NodeId to =
        cluster.running().keySet().stream()
            .filter(id -> !id.equals(from))
            .findFirst()
            .orElseThrow();
    Leadership leadership = cluster.node(from).group().control(Leadership.class).orElseThrow();
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () -> {
              leadership.transferTo(to, Duration.ofSeconds(5)).toCompletableFuture().join();
              return true;
            });
    await().atMost(PATIENCE).until(() -> cluster.node(to).group().view().serving());
    assertThatThrownBy(
            () -> leadership.transferTo(from, Duration.ofSeconds(1)).toCompletableFuture().join())
        .hasCauseInstanceOf(ConsensusException.Redirect.class);
    cluster.propose("y");
    assertThat(cluster.node(to).machine().commands()).containsExactly("x", "y");
  }

  @Test
  void anyQuorumOfSharesCoversWhatWasAcknowledged() throws IOException {
    start(3);
    if (!capabilities().controls().contains(QuorumReads.class)) {
      return;
    }
    for (Node node : cluster.running().values()) {
      await().atMost(PATIENCE).until(() -> node.group().view().serving());
    }
    for (int i = 0; i < 50; i++) {
      // A command is the name of the key that it writes.
      KeyScope scope = KeyScope.key(Key.utf8("k" + i));
      Outcome outcome = cluster.propose("k" + i);
      List<Share<Void>> shares = new ArrayList<>();
      for (Node node : cluster.running().values()) {
        QuorumReads reads = node.group().control(QuorumReads.class).orElseThrow();
        shares.add(reads.share(scope, Position.NONE).toCompletableFuture().join());
        Position point = reads.readPoint(scope).toCompletableFuture().join();
        assertThat(point.covers(outcome.position())).as("%s after %s", point, outcome).isTrue();
      }
      for (int left = 0; left < 3; left++) {
        List<Share<Void>> quorum = new ArrayList<>(shares);
        quorum.remove(left);
        assertThat(barrier(ShareMerge.merge(quorum)).covers(outcome.position()))
            .as("%s after %s", quorum, outcome)
            .isTrue();
      }
    }
  }

  private static Position barrier(Merged<Void> merged) {
    if (merged instanceof Merged.Answer<Void> answer) {
      return answer.at();
    }
    assertThat(merged).isInstanceOf(Merged.Wait.class);
    return ((Merged.Wait<Void>) merged).barrier();
  }

  @Test
  void aShareBehindAPositionIsGivenWhenThatIsExecuted() throws IOException {
    start(3);
    if (!capabilities().controls().contains(QuorumReads.class)) {
      return;
    }
    Outcome first = cluster.propose("a");
    Node node = cluster.awaitServing();
    QuorumReads reads = node.group().control(QuorumReads.class).orElseThrow();
    Position next = new Position(first.position().epoch(), first.position().index() + 1);
    CompletableFuture<Share<Void>> later = reads.share(SCOPE, next).toCompletableFuture();
    cluster.propose("b");
    assertThat(later.join().applied().covers(next)).isTrue();
  }

  @Test
  void aDeadMemberIsReplacedByANewOneThatCatchesUp() throws IOException {
    start(3);
    if (!capabilities().controls().contains(Membership.class)) {
      return;
    }
    cluster.propose("before");
    List<Member> first = cluster.firstMembers();
    NodeId dead = first.get(2).node();
    cluster.stop(dead);
    cluster.propose("without");
    Member joiner = cluster.startJoiner("n4");
    List<Member> members = List.of(first.get(0), first.get(1), joiner);
    change(cluster.awaitServing(), members);
    List<String> expected = new ArrayList<>(List.of("before", "without"));
    for (int i = 0; i < 50; i++) {
      cluster.propose("after" + i);
      expected.add("after" + i);
    }
    Node joined = cluster.node(joiner.node());
    await().atMost(PATIENCE).until(() -> joined.group().view().serving());
    // Now another one may fail.
    cluster.stop(first.get(1).node());
    // A snapshot may overtake it, and with it the answer; it is heard of, and proposed again.
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(() -> ContractCluster.proposeAt(joined, "by the new one").join() != null);
    List<String> commands = joined.machine().commands();
    assertThat(commands.subList(0, expected.size())).isEqualTo(expected);
    assertThat(commands.subList(expected.size(), commands.size()))
        .isNotEmpty()
        .containsOnly("by the new one");
    assertThat(joined.group().view().members()).isEqualTo(members);
  }

  /** Where it is in doubt, the view decides. */
  private static void change(Node node, List<Member> members) {
    Membership membership = node.group().control(Membership.class).orElseThrow();
    await()
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () -> {
              membership.change(members).toCompletableFuture().join();
              return node.group().view().members().equals(members);
            });
  }

  @Test
  void membersThatNoGroupCanHaveAreRefused() throws IOException {
    start(1);
    if (!capabilities().controls().contains(Membership.class)) {
      return;
    }
    Membership membership = cluster.awaitServing().group().control(Membership.class).orElseThrow();
    assertThatThrownBy(() -> membership.change(List.of()).toCompletableFuture().join())
        .hasCauseInstanceOf(ConsensusException.Invalid.class);
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

  private Capabilities capabilities() {
    return provider().capabilities(settings());
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
