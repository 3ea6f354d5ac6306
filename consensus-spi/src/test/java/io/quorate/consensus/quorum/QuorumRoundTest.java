package io.quorate.consensus.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.Key;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Whom a round asks and when, which reads share it, and which shares count. */
class QuorumRoundTest extends RoundsFixture {
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
}
