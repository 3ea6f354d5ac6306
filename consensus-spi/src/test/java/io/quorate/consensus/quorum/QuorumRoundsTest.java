package io.quorate.consensus.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rounds of one replica in virtual time, with real merges. The other replicas answer when a test
 * says so. Turns follow what happens and what turns themselves ask for, and nothing else.
 */
class QuorumRoundsTest {
  private static final NodeId A = new NodeId("a");
  private static final NodeId B = new NodeId("b");
  private static final NodeId C = new NodeId("c");
  private static final KeyScope KEY = KeyScope.key(Key.utf8("k"));
  private static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final long HEDGE_MILLIS = 10;
  private static final long TIMEOUT_MILLIS = 1_000;

  /** Close to where the clock wraps around. */
  private long now = Long.MAX_VALUE - TimeUnit.MILLISECONDS.toNanos(50);

  private final TestReplica replica = new TestReplica(A, List.of(B, C));
  private QuorumRounds rounds;
  private long due;

  /** A question that waits for its answer. */
  private record Asked(NodeId other, int scopes, CompletableFuture<List<Share<Void>>> answer) {}

  private static final class TestReplica implements QuorumRounds.Replica {
    private final NodeId self;
    private final List<NodeId> others;
    private final List<Asked> asked = new ArrayList<>();
    private final List<NodeId> late = new ArrayList<>();
    private Position executed = at(5);
    private Position pending = Position.NONE;
    private long epoch = 1;
    private long shareEpoch = 1;
    private int quorum = 2;
    private boolean catchingUp;
    private Optional<CompletableFuture<Position>> leader = Optional.empty();

    TestReplica(NodeId self, List<NodeId> others) {
      this.self = self;
      this.others = others;
    }

    @Override
    public List<Share<Void>> shares(List<KeyScope> scopes) {
      return catchingUp
          ? List.of()
          : sharesOf(self, scopes.size(), shareEpoch, quorum, executed, pending);
    }

    @Override
    public List<NodeId> others() {
      return others;
    }

    @Override
    public CompletionStage<List<Share<Void>>> ask(NodeId other, List<KeyScope> scopes) {
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
    public Optional<CompletionStage<Position>> askLeader() {
      return leader.map(answer -> answer);
    }
  }

  private static List<Share<Void>> sharesOf(
      NodeId of, int count, long epoch, int quorum, Position applied, Position pending) {
    List<Share<Void>> shares = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      shares.add(new Share<>(of, epoch, quorum, applied, pending, null));
    }
    return shares;
  }

  private static Position at(long index) {
    return new Position(1, index);
  }

  @BeforeEach
  void twoRoundsAtATime() {
    rounds = rounds(2, 100, 1 << 20);
  }

  private QuorumRounds rounds(int roundsMax, int readsMax, long bytesMax) {
    return new QuorumRounds(
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
  private void turn() {
    due = rounds.turn(now, now + IDLE_NANOS);
  }

  private CompletableFuture<Position> read(QuorumRule rule) {
    CompletableFuture<Position> point = rounds.offer(KEY, rule);
    turn();
    return point;
  }

  private CompletableFuture<Position> read() {
    return read(QuorumRule.BARRIER);
  }

  /** Lets time pass, with the turns that are asked for. */
  private void pass(long millis) {
    long end = now + TimeUnit.MILLISECONDS.toNanos(millis);
    for (int turns = 0; due - end <= 0; turns++) {
      assertThat(turns).as("turns in %d ms", millis).isLessThan(10_000);
      now = due - now < 0 ? now : due;
      turn();
    }
    now = end;
  }

  private List<NodeId> whoWasAsked() {
    return replica.asked.stream().map(Asked::other).toList();
  }

  private Asked question(NodeId of) {
    return replica.asked.stream()
        .filter(question -> question.other().equals(of) && !question.answer().isDone())
        .findFirst()
        .orElseThrow();
  }

  private void answer(NodeId of, Position applied, Position pending) {
    answer(of, 1, applied, pending);
  }

  private void answer(NodeId of, long epoch, Position applied, Position pending) {
    Asked question = question(of);
    question
        .answer()
        .complete(sharesOf(of, question.scopes(), epoch, replica.quorum, applied, pending));
    turn();
  }

  private void refuse(NodeId of) {
    question(of).answer().complete(List.of());
    turn();
  }

  private void fail(NodeId of) {
    question(of).answer().completeExceptionally(new IllegalStateException("no connection"));
    turn();
  }

  private void execute(long index) {
    replica.executed = at(index);
    if (rounds.isBarred()) {
      turn();
    }
  }

  private static void assertUnavailable(CompletableFuture<Position> point, String why) {
    assertThat(point)
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(ConsensusException.Unavailable.class)
        .withMessageContaining(why);
  }

  @Test
  void asManyOthersAreAskedAsAQuorumNeeds() {
    CompletableFuture<Position> point = read();
    assertThat(whoWasAsked()).containsExactly(B);
    answer(B, at(4), Position.NONE);
    assertThat(point).isCompletedWithValue(at(5));
    assertThat(rounds.open()).isZero();
    assertThat(due - now).as("nothing waits").isEqualTo(IDLE_NANOS);
  }

  @Test
  void aReplicaThatIsAQuorumByItselfAsksNobody() {
    replica.quorum = 1;
    assertThat(read()).isCompletedWithValue(at(5));
    assertThat(replica.asked).isEmpty();
  }

  @Test
  void aReadWaitsUntilTheBarrierIsExecutedHere() {
    CompletableFuture<Position> point = read();
    answer(B, at(4), at(9));
    assertThat(rounds.isBarred()).isTrue();
    execute(8);
    assertThat(point).isNotDone();
    execute(9);
    assertThat(point).isCompletedWithValue(at(9));
    assertThat(rounds.isBarred()).isFalse();
  }

  @Test
  void theNewestOfTheStatesIsABarrierToo() {
    CompletableFuture<Position> point = read();
    answer(B, at(7), Position.NONE);
    assertThat(point).isNotDone();
    execute(7);
    assertThat(point).isCompletedWithValue(at(7));
  }

  @Test
  void whatIsPendingIsNothingToTheNewestState() {
    CompletableFuture<Position> point = read(QuorumRule.NEWEST);
    answer(B, at(4), at(9));
    assertThat(point).isCompletedWithValue(at(5));
  }

  @Test
  void readsThatComeMeanwhileShareTheNextRound() {
    rounds = rounds(1, 100, 1 << 20);
    CompletableFuture<Position> first = read();
    List<CompletableFuture<Position>> meanwhile = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      meanwhile.add(read());
    }
    assertThat(replica.asked).hasSize(1);
    answer(B, at(4), Position.NONE);
    assertThat(first).isDone();
    assertThat(replica.asked).hasSize(2);
    assertThat(question(B).scopes()).isEqualTo(10);
    answer(B, at(4), Position.NONE);
    assertThat(meanwhile).allMatch(CompletableFuture::isDone);
  }

  @Test
  void longScopesTravelAlone() {
    rounds = rounds(3, 100, 1 << 30);
    KeyScope large = KeyScope.key(Key.wrap(new byte[700 << 10]));
    rounds.offer(large, QuorumRule.BARRIER);
    rounds.offer(large, QuorumRule.BARRIER);
    rounds.offer(KEY, QuorumRule.BARRIER);
    turn();
    assertThat(replica.asked).extracting(Asked::scopes).containsExactly(1, 2);
  }

  @Test
  void theOthersAreAskedWhenTheFirstTakesLong() {
    CompletableFuture<Position> point = read();
    pass(HEDGE_MILLIS - 1);
    assertThat(whoWasAsked()).containsExactly(B);
    pass(1);
    assertThat(whoWasAsked()).containsExactly(B, C);
    assertThat(replica.late).containsExactly(B);
    answer(C, at(4), Position.NONE);
    assertThat(point).isDone();
    // It is of no use any more, and does no harm.
    answer(B, at(9), Position.NONE);
    assertThat(point).isCompletedWithValue(at(5));
  }

  @Test
  void anotherOneIsAskedAtOnceWhereOneRefusesOrCannotBeReached() {
    CompletableFuture<Position> point = read();
    refuse(B);
    assertThat(whoWasAsked()).containsExactly(B, C);
    answer(C, at(4), Position.NONE);
    assertThat(point).isDone();

    CompletableFuture<Position> other = read();
    fail(B);
    answer(C, at(4), Position.NONE);
    assertThat(other).isDone();
  }

  @Test
  void everybodyIsAskedAgainWhereEverybodyHasRefused() {
    CompletableFuture<Position> point = read();
    refuse(B);
    refuse(C);
    pass(HEDGE_MILLIS);
    assertThat(whoWasAsked()).containsExactly(B, C, B, C);
    answer(B, at(4), Position.NONE);
    assertThat(point).isDone();
  }

  /** A replica that starts refuses at first; it must not be given up because another one hangs. */
  @Test
  void whoHasRefusedIsAskedAgainWhileAnotherOneIsSilent() {
    CompletableFuture<Position> point = read();
    refuse(B);
    assertThat(whoWasAsked()).containsExactly(B, C);
    pass(HEDGE_MILLIS);
    assertThat(whoWasAsked()).as("C has not answered").containsExactly(B, C, B);
    answer(B, at(4), Position.NONE);
    assertThat(point).isDone();
  }

  @Test
  void aReadIsGivenUpWhenItsTimeIsUp() {
    CompletableFuture<Position> point = read();
    pass(TIMEOUT_MILLIS - 1);
    assertThat(point).isNotDone();
    pass(1);
    assertUnavailable(point, "No quorum of replicas answered within 1000 ms (test.read-timeout).");
    assertThat(due - now).as("nothing waits").isEqualTo(IDLE_NANOS);
  }

  @Test
  void aReadBehindABarrierIsGivenUpWhenItsTimeIsUp() {
    CompletableFuture<Position> point = read();
    pass(100);
    answer(B, at(4), at(9));
    pass(TIMEOUT_MILLIS - 101);
    assertThat(point).isNotDone();
    pass(1);
    assertUnavailable(point, "No quorum");
    assertThat(rounds.isBarred()).isFalse();
  }

  /** Each read has its own time, whatever older read it shares a round with. */
  @Test
  void aYoungReadIsNotGivenUpWithAnOldOne() {
    rounds = rounds(1, 100, 1 << 20);
    read();
    CompletableFuture<Position> old = read();
    pass(600);
    CompletableFuture<Position> young = read();
    answer(B, at(4), Position.NONE);
    assertThat(question(B).scopes()).isEqualTo(2);
    pass(500);
    assertUnavailable(old, "No quorum");
    assertThat(young).isNotDone();
    answer(B, at(4), Position.NONE);
    assertThat(young).isCompletedWithValue(at(5));
  }

  /** While rounds are full, what waits for one is given up in time, too. */
  @Test
  void aReadWithoutARoundIsGivenUpWhenItsTimeIsUp() {
    rounds = rounds(1, 100, 1 << 20);
    replica.leader = Optional.of(new CompletableFuture<>());
    read();
    CompletableFuture<Position> waiting = read();
    pass(TIMEOUT_MILLIS);
    assertThat(waiting).isNotDone();
    replica.leader.get().complete(at(8));
    assertThat(waiting).isCompletedWithValue(at(8));
  }

  @Test
  void theLeaderIsAskedWhereThereIsOne() {
    replica.leader = Optional.of(new CompletableFuture<>());
    CompletableFuture<Position> first = read();
    CompletableFuture<Position> second = read();
    pass(TIMEOUT_MILLIS);
    assertThat(first).isNotDone();
    replica.leader.get().complete(at(8));
    assertThat(first).isCompletedWithValue(at(8));
    assertThat(second).isCompletedWithValue(at(8));

    replica.leader = Optional.of(new CompletableFuture<>());
    CompletableFuture<Position> third = read();
    pass(TIMEOUT_MILLIS);
    replica.leader.get().completeExceptionally(new ConsensusException.Unavailable("no leader"));
    assertUnavailable(third, "no leader");
  }

  @Test
  void aReplicaThatMayNotAnswerAsksTheLeaderOrGivesUp() {
    replica.catchingUp = true;
    assertUnavailable(read(), "catching up");
    replica.leader = Optional.of(CompletableFuture.completedFuture(at(8)));
    assertThat(read()).isCompletedWithValue(at(8));
  }

  /** It was put back by a turn that had begun rounds already, and nobody began it (B5). */
  @Test
  void aReadThatRetriesBeginsAnewByItself() {
    CompletableFuture<Position> point = read(QuorumRule.RETRY);
    answer(B, at(4), at(9));
    assertThat(replica.asked).hasSize(1);
    pass(1);
    assertThat(replica.asked).as("after the first pause").hasSize(2);
    answer(B, at(4), at(9));
    pass(1);
    assertThat(replica.asked).as("in the second pause").hasSize(2);
    pass(1);
    assertThat(replica.asked).as("after the second pause").hasSize(3);
    answer(B, at(9), Position.NONE);
    execute(9);
    assertThat(point).isCompletedWithValue(at(9));
  }

  @Test
  void aReadThatRetriesEndsInTimeHoweverManyWritesCome() {
    CompletableFuture<Position> point = read(QuorumRule.RETRY);
    for (int i = 0; i < 1_000 && !point.isDone(); i++) {
      if (replica.asked.stream().anyMatch(question -> !question.answer().isDone())) {
        answer(B, at(4 + i), at(9 + i));
      }
      pass(1);
    }
    assertUnavailable(point, "No quorum");
    assertThat(replica.asked).as("pauses grow").hasSizeLessThan(50);
  }

  /** A turn that ends a round begins the next one: nobody else will. */
  @Test
  void aRoundThatIsGivenUpMakesRoomAtOnce() {
    rounds = rounds(1, 100, 1 << 20);
    CompletableFuture<Position> first = read();
    pass(100);
    CompletableFuture<Position> second = read();
    pass(TIMEOUT_MILLIS - 100);
    assertThat(first).isCompletedExceptionally();
    assertThat(second).isNotDone();
    replica.asked.removeIf(question -> question.scopes() == 1 && question.other().equals(C));
    question(B).answer().complete(List.of());
    answer(B, at(4), Position.NONE);
    assertThat(second).isCompletedWithValue(at(5));
  }

  @Test
  void sharesOfAnOlderConfigurationDoNotCount() {
    CompletableFuture<Position> point = read();
    answer(B, 2, at(4), Position.NONE);
    assertThat(whoWasAsked()).as("this replica's own share is of an older one").contains(C);
    answer(C, 1, at(4), Position.NONE);
    assertThat(point).isNotDone();
    // This replica has come to know the new one, and counts again.
    replica.shareEpoch = 2;
    replica.epoch = 2;
    pass(HEDGE_MILLIS);
    assertThat(point).isCompletedWithValue(at(5));
  }

  @Test
  void aBarrierOfAnOlderConfigurationIsOfNoUseAndTheReadBeginsAnew() {
    CompletableFuture<Position> point = read();
    answer(B, at(4), at(9));
    replica.epoch = 2;
    replica.shareEpoch = 2;
    execute(9);
    assertThat(point).isNotDone();
    pass(1);
    assertThat(replica.asked).hasSize(2);
    answer(B, 2, at(9), Position.NONE);
    assertThat(point).isCompletedWithValue(at(9));
  }

  @Test
  void readsBeyondTheBoundsAreTurnedAway() {
    rounds = rounds(1, 2, 1 << 20);
    CompletableFuture<Position> first = read();
    CompletableFuture<Position> second = read();
    assertThat(read())
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(ConsensusException.Overloaded.class)
        .withMessageContaining("test.quorum-reads-max");
    answer(B, at(4), Position.NONE);
    assertThat(first).isDone();
    CompletableFuture<Position> third = read();
    answer(B, at(4), Position.NONE);
    answer(B, at(4), Position.NONE);
    assertThat(second).isDone();
    assertThat(third).isDone();

    rounds = rounds(1, 100, ShareExchange.bytes(KEY) + 1L);
    read();
    assertThat(read()).as("bytes").isCompletedExceptionally();
  }

  /** Whoever asked may have given up; nobody is asked for it any more. */
  @Test
  void aReadThatIsOverIsNotBegun() {
    CompletableFuture<Position> point = rounds.offer(KEY, QuorumRule.BARRIER);
    point.cancel(false);
    turn();
    assertThat(replica.asked).isEmpty();
    assertThat(rounds.open()).isZero();
  }

  @Test
  void closingFailsWhatWaitsWhereverItWaits() {
    rounds = rounds(1, 100, 1 << 20);
    CompletableFuture<Position> barred = read();
    answer(B, at(4), at(9));
    CompletableFuture<Position> pausing = read(QuorumRule.RETRY);
    answer(B, at(4), at(9));
    CompletableFuture<Position> asking = read();
    CompletableFuture<Position> waiting = read();
    rounds.close();
    assertThat(List.of(barred, pausing, asking, waiting))
        .allSatisfy(point -> assertUnavailable(point, "closing"));
    assertUnavailable(rounds.offer(KEY, QuorumRule.BARRIER), "closing");
    assertThat(rounds.open()).isZero();
    int before = replica.asked.size();
    refuse(B);
    pass(TIMEOUT_MILLIS);
    assertThat(replica.asked).as("questions after the end").hasSize(before);
  }

  static List<Long> seeds() {
    List<Long> seeds = new ArrayList<>(List.of(1L, 2L, 3L, 4L, 5L));
    seeds.add(System.nanoTime());
    return seeds;
  }

  /** Whatever happens, every read ends in time, and linearizable ones cover what they must. */
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void everyReadEndsInTime(long seed) {
    Random random = new Random(seed);
    rounds = rounds(1 + random.nextInt(3), 1_000, 1 << 20);
    Map<CompletableFuture<Position>, Long> deadlines = new LinkedHashMap<>();
    long written = 5;
    for (int step = 0; step < 3_000; step++) {
      switch (random.nextInt(8)) {
        case 0, 1 -> {
          QuorumRule rule = QuorumRule.values()[random.nextInt(3)];
          deadlines.put(read(rule), now + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MILLIS));
        }
        case 2, 3, 4 -> {
          List<Asked> open =
              replica.asked.stream().filter(question -> !question.answer().isDone()).toList();
          if (!open.isEmpty()) {
            reply(open.get(random.nextInt(open.size())), random, written);
          }
        }
        case 5 -> execute(Math.max(replica.executed.index(), random.nextLong(5, written + 2)));
        case 6 -> written += random.nextInt(3);
        default -> pass(random.nextInt(30));
      }
      if (random.nextInt(200) == 0) {
        replica.epoch++;
        replica.shareEpoch = replica.epoch;
      }
      replica.asked.removeIf(question -> question.answer().isDone());
      deadlines.forEach(
          (point, deadline) ->
              assertThat(point.isDone() || deadline - now > 0)
                  .as("seed %d: a read ends in time", seed)
                  .isTrue());
      deadlines.keySet().removeIf(CompletableFuture::isDone);
    }
    pass(TIMEOUT_MILLIS);
    assertThat(deadlines.keySet()).as("seed %d", seed).allMatch(CompletableFuture::isDone);
    assertThat(rounds.open()).as("seed %d", seed).isZero();
  }

  private void reply(Asked question, Random random, long written) {
    switch (random.nextInt(6)) {
      case 0 -> question.answer().complete(List.of());
      case 1 -> question.answer().completeExceptionally(new IllegalStateException("lost"));
      default ->
          question
              .answer()
              .complete(
                  sharesOf(
                      question.other(),
                      question.scopes(),
                      Math.max(1, replica.shareEpoch - random.nextInt(2) + random.nextInt(2)),
                      replica.quorum,
                      at(random.nextLong(written)),
                      random.nextBoolean() ? Position.NONE : at(random.nextLong(written + 3))));
    }
    turn();
  }
}
