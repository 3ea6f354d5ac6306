package io.quorate.consensus.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;

/**
 * Rounds of one replica in virtual time, with real merges. The other replicas answer when a test
 * says so. Turns follow what happens and what turns themselves ask for, and nothing else.
 */
abstract class RoundsFixture {
  static final NodeId A = new NodeId("a");
  static final NodeId B = new NodeId("b");
  static final NodeId C = new NodeId("c");
  static final KeyScope KEY = KeyScope.key(Key.utf8("k"));
  static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);
  static final long HEDGE_MILLIS = 10;
  static final long TIMEOUT_MILLIS = 1_000;

  /** Close to where the clock wraps around. */
  long now = Long.MAX_VALUE - TimeUnit.MILLISECONDS.toNanos(50);

  final TestReplica replica = new TestReplica(A, List.of(B, C));
  QuorumReadBatcher rounds;
  long due;

  /** A question that waits for its answer. */
  record Asked(NodeId other, int scopes, CompletableFuture<List<ReadReply<Void>>> answer) {}

  static final class TestReplica implements QuorumReadBatcher.Replica {
    final NodeId self;
    final List<NodeId> others;
    final List<Asked> asked = new ArrayList<>();
    final List<NodeId> late = new ArrayList<>();
    Position executed = at(5);
    Position pending = Position.NONE;
    long epoch = 1;
    long shareEpoch = 1;
    int quorum = 2;
    boolean catchingUp;
    Optional<CompletableFuture<Position>> leader = Optional.empty();

    TestReplica(NodeId self, List<NodeId> others) {
      this.self = self;
      this.others = others;
    }

    @Override
    public List<ReadReply<Void>> replies(List<KeyScope> scopes) {
      return catchingUp
          ? List.of()
          : sharesOf(self, scopes.size(), shareEpoch, quorum, executed, pending);
    }

    @Override
    public List<NodeId> others() {
      return others;
    }

    @Override
    public CompletionStage<List<ReadReply<Void>>> call(NodeId other, List<KeyScope> scopes) {
      Asked question = new Asked(other, scopes.size(), new CompletableFuture<>());
      asked.add(question);
      return question.answer();
    }

    @Override
    public void late(NodeId other) {
      late.add(other);
    }

    @Override
    public Position executed() {
      return executed;
    }

    @Override
    public long epoch() {
      return epoch;
    }

    @Override
    public Optional<CompletionStage<Position>> callLeader() {
      return leader.map(answer -> answer);
    }
  }

  static List<ReadReply<Void>> sharesOf(
      NodeId of, int count, long epoch, int quorum, Position applied, Position pending) {
    List<ReadReply<Void>> shares = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      shares.add(new ReadReply<>(of, epoch, quorum, applied, pending, null));
    }
    return shares;
  }

  static Position at(long index) {
    return new Position(1, index);
  }

  @BeforeEach
  void twoRoundsAtATime() {
    rounds = rounds(2, 100, 1 << 20);
  }

  QuorumReadBatcher rounds(int roundsMax, int readsMax, long bytesMax) {
    return new QuorumReadBatcher(
        replica,
        new QuorumBounds(
            "test",
            Duration.ofMillis(TIMEOUT_MILLIS),
            Duration.ofMillis(HEDGE_MILLIS),
            Duration.ofMillis(TIMEOUT_MILLIS),
            roundsMax,
            readsMax,
            bytesMax),
        () -> now);
  }

  /** A turn because something has happened. */
  void turn() {
    due = rounds.turn(now, now + IDLE_NANOS);
  }

  CompletableFuture<Position> read(QuorumRule rule) {
    CompletableFuture<Position> point = rounds.offer(KEY, rule);
    turn();
    return point;
  }

  CompletableFuture<Position> read() {
    return read(QuorumRule.BARRIER);
  }

  /** Lets time pass, with the turns that are asked for. */
  void pass(long millis) {
    long end = now + TimeUnit.MILLISECONDS.toNanos(millis);
    for (int turns = 0; due - end <= 0; turns++) {
      assertThat(turns).as("turns in %d ms", millis).isLessThan(10_000);
      now = due - now < 0 ? now : due;
      turn();
    }
    now = end;
  }

  List<NodeId> whoWasAsked() {
    return replica.asked.stream().map(Asked::other).toList();
  }

  Asked question(NodeId of) {
    return replica.asked.stream()
        .filter(question -> question.other().equals(of) && !question.answer().isDone())
        .findFirst()
        .orElseThrow();
  }

  void answer(NodeId of, Position applied, Position pending) {
    answer(of, 1, applied, pending);
  }

  void answer(NodeId of, long epoch, Position applied, Position pending) {
    Asked question = question(of);
    question
        .answer()
        .complete(sharesOf(of, question.scopes(), epoch, replica.quorum, applied, pending));
    turn();
  }

  void refuse(NodeId of) {
    question(of).answer().complete(List.of());
    turn();
  }

  void fail(NodeId of) {
    question(of).answer().completeExceptionally(new IllegalStateException("no connection"));
    turn();
  }

  void execute(long index) {
    replica.executed = at(index);
    if (rounds.isBarred()) {
      turn();
    }
  }

  static void assertUnavailable(CompletableFuture<Position> point, String why) {
    assertThat(point)
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(ConsensusException.Unavailable.class)
        .withMessageContaining(why);
  }
}
