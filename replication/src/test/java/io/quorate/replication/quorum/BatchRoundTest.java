package io.quorate.replication.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.KeyScope;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.quorum.QuorumRule;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The replicas that a round queries and the time of each request, the reads that share a round, and
 * the read replies that count.
 */
class BatchRoundTest extends RoundsFixture {
  @Test
  void aRoundQueriesAsManyReplicasAsAQuorumNeeds() {
    CompletableFuture<Position> readIndex = read();
    assertThat(queriedReplicas()).containsExactly(B);
    respond(B, at(4), Position.NONE);
    assertThat(readIndex).isCompletedWithValue(at(5));
    assertThat(rounds.open()).isZero();
    assertThat(due - now).as("no read is pending").isEqualTo(IDLE_NANOS);
  }

  @Test
  void aReplicaThatIsAQuorumByItselfSendsNoRequest() {
    replica.quorum = 1;
    assertThat(read()).isCompletedWithValue(at(5));
    assertThat(replica.requests).isEmpty();
  }

  @Test
  void theHighestAppliedPositionIsABarrier() {
    CompletableFuture<Position> readIndex = read();
    respond(B, at(7), Position.NONE);
    assertThat(readIndex).isNotDone();
    execute(7);
    assertThat(readIndex).isCompletedWithValue(at(7));
  }

  @Test
  void pendingWritesDoNotDelayTheNewestRule() {
    CompletableFuture<Position> readIndex = read(QuorumRule.NEWEST);
    respond(B, at(4), at(9));
    assertThat(readIndex).isCompletedWithValue(at(5));
  }

  @Test
  void readsDuringARoundShareTheNextOne() {
    rounds = rounds(1, 100, 1 << 20);
    CompletableFuture<Position> first = read();
    List<CompletableFuture<Position>> meanwhile = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      meanwhile.add(read());
    }
    assertThat(replica.requests).hasSize(1);
    respond(B, at(4), Position.NONE);
    assertThat(first).isDone();
    assertThat(replica.requests).hasSize(2);
    assertThat(openRequest(B).scopes()).isEqualTo(10);
    respond(B, at(4), Position.NONE);
    assertThat(meanwhile).allMatch(CompletableFuture::isDone);
  }

  @Test
  void largeScopesHaveRoundsOfTheirOwn() {
    rounds = rounds(3, 100, 1 << 30);
    KeyScope large = KeyScope.key(Key.wrap(new byte[700 << 10]));
    rounds.offer(large, QuorumRule.BARRIER);
    rounds.offer(large, QuorumRule.BARRIER);
    rounds.offer(KEY, QuorumRule.BARRIER);
    turn();
    assertThat(replica.requests).extracting(Request::scopes).containsExactly(1, 2);
  }

  @Test
  void theOtherReplicasAreQueriedWhenTheFirstIsSlow() {
    CompletableFuture<Position> readIndex = read();
    advance(HEDGE_MILLIS - 1);
    assertThat(queriedReplicas()).containsExactly(B);
    advance(1);
    assertThat(queriedReplicas()).containsExactly(B, C);
    assertThat(replica.late).containsExactly(B);
    respond(C, at(4), Position.NONE);
    assertThat(readIndex).isDone();
    // A response after the end of the round has no effect.
    respond(B, at(9), Position.NONE);
    assertThat(readIndex).isCompletedWithValue(at(5));
  }

  @Test
  void anotherReplicaIsQueriedAtOnceAfterARejectionOrAFailure() {
    CompletableFuture<Position> readIndex = read();
    reject(B);
    assertThat(queriedReplicas()).containsExactly(B, C);
    respond(C, at(4), Position.NONE);
    assertThat(readIndex).isDone();

    CompletableFuture<Position> other = read();
    fail(B);
    respond(C, at(4), Position.NONE);
    assertThat(other).isDone();
  }

  @Test
  void allReplicasAreQueriedAgainAfterAllHaveRejected() {
    CompletableFuture<Position> readIndex = read();
    reject(B);
    reject(C);
    advance(HEDGE_MILLIS);
    assertThat(queriedReplicas()).containsExactly(B, C, B, C);
    respond(B, at(4), Position.NONE);
    assertThat(readIndex).isDone();
  }

  /**
   * A replica that starts rejects requests at first; it must be queried again although another one
   * hangs.
   */
  @Test
  void aReplicaThatRejectedIsQueriedAgainWhileAnotherOneIsSilent() {
    CompletableFuture<Position> readIndex = read();
    reject(B);
    assertThat(queriedReplicas()).containsExactly(B, C);
    advance(HEDGE_MILLIS);
    assertThat(queriedReplicas()).as("C has not responded").containsExactly(B, C, B);
    respond(B, at(4), Position.NONE);
    assertThat(readIndex).isDone();
  }

  /** Each read has its own deadline, whatever older read it shares a round with. */
  @Test
  void aReadDoesNotExpireWithAnOlderReadOfItsRound() {
    rounds = rounds(1, 100, 1 << 20);
    read();
    CompletableFuture<Position> older = read();
    advance(600);
    CompletableFuture<Position> newer = read();
    respond(B, at(4), Position.NONE);
    assertThat(openRequest(B).scopes()).isEqualTo(2);
    advance(500);
    assertUnavailable(older, "No quorum");
    assertThat(newer).isNotDone();
    respond(B, at(4), Position.NONE);
    assertThat(newer).isCompletedWithValue(at(5));
  }

  @Test
  void repliesOfAnOlderConfigurationDoNotCount() {
    CompletableFuture<Position> readIndex = read();
    respond(B, 2, at(4), Position.NONE);
    assertThat(queriedReplicas())
        .as("this replica's own reply is of an older configuration")
        .contains(C);
    respond(C, 1, at(4), Position.NONE);
    assertThat(readIndex).isNotDone();
    // This replica applies the new configuration, and its reply counts again.
    replica.replyEpoch = 2;
    replica.epoch = 2;
    advance(HEDGE_MILLIS);
    assertThat(readIndex).isCompletedWithValue(at(5));
  }
}
