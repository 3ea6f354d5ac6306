package io.quorate.replication.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.Position;
import io.quorate.quorum.QuorumRule;
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

/** Waiting, restart and end of reads, whatever the results of their rounds. */
class QuorumReadBatcherTest extends RoundsFixture {
  @Test
  void aReadWaitsUntilThisReplicaHasExecutedTheBarrier() {
    CompletableFuture<Position> readIndex = read();
    respond(B, at(4), at(9));
    assertThat(rounds.isBarred()).isTrue();
    execute(8);
    assertThat(readIndex).isNotDone();
    execute(9);
    assertThat(readIndex).isCompletedWithValue(at(9));
    assertThat(rounds.isBarred()).isFalse();
  }

  @Test
  void aReadFailsAtItsDeadline() {
    CompletableFuture<Position> readIndex = read();
    advance(TIMEOUT_MILLIS - 1);
    assertThat(readIndex).isNotDone();
    advance(1);
    assertUnavailable(
        readIndex, "No quorum of replicas responded within 1000 ms (test.read-timeout).");
    assertThat(due - now).as("no read is pending").isEqualTo(IDLE_NANOS);
  }

  @Test
  void aReadThatWaitsForABarrierFailsAtItsDeadline() {
    CompletableFuture<Position> readIndex = read();
    advance(100);
    respond(B, at(4), at(9));
    advance(TIMEOUT_MILLIS - 101);
    assertThat(readIndex).isNotDone();
    advance(1);
    assertUnavailable(readIndex, "No quorum");
    assertThat(rounds.isBarred()).isFalse();
  }

  /** A read that waits for a round falls back to the leader at its deadline, too. */
  @Test
  void aReadWithoutARoundFallsBackAtItsDeadline() {
    rounds = rounds(1, 100, 1 << 20);
    replica.leader = Optional.of(new CompletableFuture<>());
    read();
    CompletableFuture<Position> waiting = read();
    advance(TIMEOUT_MILLIS);
    assertThat(waiting).isNotDone();
    replica.leader.get().complete(at(8));
    assertThat(waiting).isCompletedWithValue(at(8));
  }

  @Test
  void anExpiredReadFallsBackToTheLeader() {
    replica.leader = Optional.of(new CompletableFuture<>());
    CompletableFuture<Position> first = read();
    CompletableFuture<Position> second = read();
    advance(TIMEOUT_MILLIS);
    assertThat(first).isNotDone();
    replica.leader.get().complete(at(8));
    assertThat(first).isCompletedWithValue(at(8));
    assertThat(second).isCompletedWithValue(at(8));

    replica.leader = Optional.of(new CompletableFuture<>());
    CompletableFuture<Position> third = read();
    advance(TIMEOUT_MILLIS);
    replica.leader.get().completeExceptionally(new ConsensusException.Unavailable("no leader"));
    assertUnavailable(third, "no leader");
  }

  /** The state advances by the leader's messages, which may arrive where requests do not. */
  @Test
  void aReadBehindABarrierStillWaitsForItWhileTheLeaderIsQueried() {
    replica.leader = Optional.of(new CompletableFuture<>());
    CompletableFuture<Position> failed = read();
    respond(B, at(4), at(9));
    advance(TIMEOUT_MILLIS);
    replica.leader.get().completeExceptionally(new ConsensusException.Unavailable("no leader"));
    assertThat(failed).isNotDone();
    execute(9);
    assertThat(failed).isCompletedWithValue(at(9));

    replica.leader = Optional.of(new CompletableFuture<>());
    CompletableFuture<Position> served = read();
    respond(B, at(9), at(12));
    advance(TIMEOUT_MILLIS);
    replica.leader.get().complete(at(12));
    assertThat(served).isCompletedWithValue(at(12));
    execute(12);

    replica.leader = Optional.of(new CompletableFuture<>());
    CompletableFuture<Position> mute = read();
    respond(B, at(12), at(15));
    advance(2 * TIMEOUT_MILLIS - 1);
    assertThat(mute).isNotDone();
    advance(1);
    assertUnavailable(mute, "No quorum");
    assertThat(rounds.isBarred()).isFalse();
  }

  @Test
  void aReplicaThatIsCatchingUpUsesTheLeaderOrFailsReads() {
    replica.catchingUp = true;
    assertUnavailable(read(), "catching up");
    replica.leader = Optional.of(CompletableFuture.completedFuture(at(8)));
    assertThat(read()).isCompletedWithValue(at(8));
  }

  /**
   * Regression: an iteration resumed the read after it had started its rounds, and requested no
   * further iteration.
   */
  @Test
  void aRetryingReadStartsItsNextRoundWithoutAnEvent() {
    CompletableFuture<Position> readIndex = read(QuorumRule.RETRY);
    respond(B, at(4), at(9));
    assertThat(replica.requests).hasSize(1);
    advance(1);
    assertThat(replica.requests).as("after the first backoff").hasSize(2);
    respond(B, at(4), at(9));
    advance(1);
    assertThat(replica.requests).as("during the second backoff").hasSize(2);
    advance(1);
    assertThat(replica.requests).as("after the second backoff").hasSize(3);
    respond(B, at(9), Position.NONE);
    execute(9);
    assertThat(readIndex).isCompletedWithValue(at(9));
  }

  @Test
  void aRetryingReadEndsInTimeUnderContinuousWrites() {
    CompletableFuture<Position> readIndex = read(QuorumRule.RETRY);
    for (int i = 0; i < 1_000 && !readIndex.isDone(); i++) {
      if (replica.requests.stream().anyMatch(request -> !request.response().isDone())) {
        respond(B, at(4 + i), at(9 + i));
      }
      advance(1);
    }
    assertUnavailable(readIndex, "No quorum");
    assertThat(replica.requests).as("the backoff grows").hasSizeLessThan(50);
  }

  /** The iteration that ends a round starts the next one, since no event follows. */
  @Test
  void anExpiredRoundIsReplacedAtOnce() {
    rounds = rounds(1, 100, 1 << 20);
    CompletableFuture<Position> first = read();
    advance(100);
    CompletableFuture<Position> second = read();
    advance(TIMEOUT_MILLIS - 100);
    assertThat(first).isCompletedExceptionally();
    assertThat(second).isNotDone();
    replica.requests.removeIf(request -> request.scopes() == 1 && request.other().equals(C));
    openRequest(B).response().complete(List.of());
    respond(B, at(4), Position.NONE);
    assertThat(second).isCompletedWithValue(at(5));
  }

  @Test
  void aBarrierOfAnOlderConfigurationRestartsTheRead() {
    CompletableFuture<Position> readIndex = read();
    respond(B, at(4), at(9));
    replica.epoch = 2;
    replica.replyEpoch = 2;
    execute(9);
    assertThat(readIndex).isNotDone();
    advance(1);
    assertThat(replica.requests).hasSize(2);
    respond(B, 2, at(9), Position.NONE);
    assertThat(readIndex).isCompletedWithValue(at(9));
  }

  @Test
  void readsBeyondTheBoundsAreRejected() {
    rounds = rounds(1, 2, 1 << 20);
    CompletableFuture<Position> first = read();
    CompletableFuture<Position> second = read();
    assertThat(read())
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(ConsensusException.Overloaded.class)
        .withMessageContaining("test.quorum-reads-max");
    respond(B, at(4), Position.NONE);
    assertThat(first).isDone();
    CompletableFuture<Position> third = read();
    respond(B, at(4), Position.NONE);
    respond(B, at(4), Position.NONE);
    assertThat(second).isDone();
    assertThat(third).isDone();

    rounds = rounds(1, 100, QuorumReadCodec.bytes(KEY) + 1L);
    read();
    assertThat(read()).as("bytes").isCompletedExceptionally();
  }

  /** The caller may have cancelled the read; no replica is queried for it then. */
  @Test
  void aCancelledReadIsNotStarted() {
    CompletableFuture<Position> readIndex = rounds.offer(KEY, QuorumRule.BARRIER);
    readIndex.cancel(false);
    turn();
    assertThat(replica.requests).isEmpty();
    assertThat(rounds.open()).isZero();
  }

  @Test
  void closingFailsPendingReadsInEveryState() {
    rounds = rounds(1, 100, 1 << 20);
    CompletableFuture<Position> atBarrier = read();
    respond(B, at(4), at(9));
    CompletableFuture<Position> inBackoff = read(QuorumRule.RETRY);
    respond(B, at(4), at(9));
    CompletableFuture<Position> inRound = read();
    CompletableFuture<Position> waiting = read();
    rounds.close();
    assertThat(List.of(atBarrier, inBackoff, inRound, waiting))
        .allSatisfy(readIndex -> assertUnavailable(readIndex, "closing"));
    assertUnavailable(rounds.offer(KEY, QuorumRule.BARRIER), "closing");
    assertThat(rounds.open()).isZero();
    int before = replica.requests.size();
    reject(B);
    advance(TIMEOUT_MILLIS);
    assertThat(replica.requests).as("requests after close").hasSize(before);
  }

  static List<Long> seeds() {
    List<Long> seeds = new ArrayList<>(List.of(1L, 2L, 3L, 4L, 5L));
    seeds.add(System.nanoTime());
    return seeds;
  }

  /** Under random events, every read ends by its deadline. */
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
          List<Request> open =
              replica.requests.stream().filter(request -> !request.response().isDone()).toList();
          if (!open.isEmpty()) {
            respondRandomly(open.get(random.nextInt(open.size())), random, written);
          }
        }
        case 5 -> execute(Math.max(replica.executed.index(), random.nextLong(5, written + 2)));
        case 6 -> written += random.nextInt(3);
        default -> advance(random.nextInt(30));
      }
      if (random.nextInt(200) == 0) {
        replica.epoch++;
        replica.replyEpoch = replica.epoch;
      }
      replica.requests.removeIf(request -> request.response().isDone());
      deadlines.forEach(
          (readIndex, deadline) ->
              assertThat(readIndex.isDone() || deadline - now > 0)
                  .as("seed %d: a read ends in time", seed)
                  .isTrue());
      deadlines.keySet().removeIf(CompletableFuture::isDone);
    }
    advance(TIMEOUT_MILLIS);
    assertThat(deadlines.keySet()).as("seed %d", seed).allMatch(CompletableFuture::isDone);
    assertThat(rounds.open()).as("seed %d", seed).isZero();
  }

  private void respondRandomly(Request request, Random random, long written) {
    switch (random.nextInt(6)) {
      case 0 -> request.response().complete(List.of());
      case 1 -> request.response().completeExceptionally(new IllegalStateException("lost"));
      default ->
          request
              .response()
              .complete(
                  repliesOf(
                      request.other(),
                      request.scopes(),
                      Math.max(1, replica.replyEpoch - random.nextInt(2) + random.nextInt(2)),
                      replica.quorum,
                      at(random.nextLong(written)),
                      random.nextBoolean() ? Position.NONE : at(random.nextLong(written + 3))));
    }
    turn();
  }
}
