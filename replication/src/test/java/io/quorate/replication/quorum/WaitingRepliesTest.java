package io.quorate.replication.quorum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.KeyScope;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.quorum.ReadReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class WaitingRepliesTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(1);
  private static final List<KeyScope> SCOPES = List.of(KeyScope.key(Key.utf8("k")));
  private static final Position NEEDED = new Position(1, 5);

  /** The scopes for which replies were created. */
  private final List<KeyScope> asked = new ArrayList<>();

  private final WaitingReplies waiting =
      new WaitingReplies(
          scopes -> {
            asked.addAll(scopes);
            return List.of();
          },
          new QuorumBounds("engine", TIMEOUT, TIMEOUT, TIMEOUT, 1, 2, 1_000));

  private CompletableFuture<List<ReadReply<Void>>> add() {
    return waiting.add(SCOPES, NEEDED);
  }

  @Test
  void aRequestIsCompletedOnceItsPositionIsExecuted() {
    CompletableFuture<List<ReadReply<Void>>> replies = add();
    waiting.turn(new Position(1, 4), 0);
    assertThat(replies).isNotDone();
    assertThat(waiting.isEmpty()).isFalse();
    assertThat(waiting.dueAt(Long.MAX_VALUE)).isEqualTo(TIMEOUT.toNanos());
    waiting.turn(NEEDED, 1);
    assertThat(replies).isCompleted();
    assertThat(asked).isEqualTo(SCOPES);
    assertThat(waiting.isEmpty()).isTrue();
  }

  @Test
  void aRequestEndsWithoutRepliesAtItsTimeout() {
    CompletableFuture<List<ReadReply<Void>>> replies = add();
    waiting.turn(Position.NONE, 0);
    waiting.turn(Position.NONE, TIMEOUT.toNanos());
    assertThat(replies).isCompletedWithValue(List.of());
    assertThat(asked).isEmpty();
    assertThatThrownBy(() -> WaitingReplies.only(replies).toCompletableFuture().join())
        .hasCauseInstanceOf(ConsensusException.Unavailable.class);
  }

  @Test
  void itTakesNoMoreThanItsBounds() {
    add();
    CompletableFuture<List<ReadReply<Void>>> second = add();
    assertThatThrownBy(add()::join).hasCauseInstanceOf(ConsensusException.Overloaded.class);
    waiting.turn(NEEDED, 0);
    assertThat(second).isCompleted();
    assertThat(add()).isNotDone();
  }

  @Test
  void onceClosedItEndsTheRequestsThatWaitAndThoseThatArrive() {
    CompletableFuture<List<ReadReply<Void>>> waits = add();
    waiting.turn(Position.NONE, 0);
    CompletableFuture<List<ReadReply<Void>>> arrived = add();
    waiting.close();
    assertThat(waits).isCompletedWithValue(List.of());
    assertThat(arrived).isCompletedWithValue(List.of());
    assertThat(add()).isCompletedWithValue(List.of());
  }
}
