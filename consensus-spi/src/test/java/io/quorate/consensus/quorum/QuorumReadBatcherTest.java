package io.quorate.consensus.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Position;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How reads wait, begin anew and end, whatever their rounds meet. */
class QuorumReadBatcherTest extends RoundsFixture {
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

    rounds = rounds(1, 100, QuorumReadCodec.bytes(KEY) + 1L);
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
