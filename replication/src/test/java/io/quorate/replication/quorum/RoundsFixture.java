package io.quorate.replication.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.KeyScope;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;

/**
 * Rounds of one replica in virtual time, with real merges. The other replicas respond when a test
 * makes them respond. The loop iterates after an event and at the times that an iteration
 * requested, and at no other time.
 */
abstract class RoundsFixture {
  static final NodeId A = new NodeId("a");
  static final NodeId B = new NodeId("b");
  static final NodeId C = new NodeId("c");
  static final KeyScope KEY = KeyScope.key(Key.utf8("k"));
  static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);
  static final long HEDGE_MILLIS = 10;
  static final long TIMEOUT_MILLIS = 1_000;

  /** Shortly before the clock wraps around. */
  long now = Long.MAX_VALUE - TimeUnit.MILLISECONDS.toNanos(50);

  final TestReplica replica = new TestReplica(A, List.of(B, C));
  QuorumReadBatcher rounds;
  long due;

  /** A request to another replica; its response may be pending. */
  record Request(NodeId other, int scopes, CompletableFuture<List<ReadReply<Void>>> response) {}

  static final class TestReplica implements QuorumReadBatcher.Replica {
    final NodeId self;
    final List<NodeId> others;
    final List<Request> requests = new ArrayList<>();
    final List<NodeId> late = new ArrayList<>();
    Position executed = at(5);
    Position pending = Position.NONE;
    long epoch = 1;
    long replyEpoch = 1;
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
          : repliesOf(self, scopes.size(), replyEpoch, quorum, executed, pending);
    }

    @Override
    public List<NodeId> others() {
      return others;
    }

    @Override
    public CompletionStage<List<ReadReply<Void>>> call(NodeId other, List<KeyScope> scopes) {
      Request request = new Request(other, scopes.size(), new CompletableFuture<>());
      requests.add(request);
      return request.response();
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
      return leader.map(stage -> stage);
    }
  }

  static List<ReadReply<Void>> repliesOf(
      NodeId of, int count, long epoch, int quorum, Position applied, Position pending) {
    List<ReadReply<Void>> replies = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      replies.add(new ReadReply<>(of, epoch, quorum, applied, pending, null));
    }
    return replies;
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

  /** Runs an iteration because of an event. */
  void turn() {
    due = rounds.turn(now, now + IDLE_NANOS);
  }

  CompletableFuture<Position> read(QuorumRule rule) {
    CompletableFuture<Position> readIndex = rounds.offer(KEY, rule);
    turn();
    return readIndex;
  }

  CompletableFuture<Position> read() {
    return read(QuorumRule.BARRIER);
  }

  /** Advances the time, with the iterations that become due. */
  void advance(long millis) {
    long end = now + TimeUnit.MILLISECONDS.toNanos(millis);
    for (int iterations = 0; due - end <= 0; iterations++) {
      assertThat(iterations).as("iterations in %d ms", millis).isLessThan(10_000);
      now = due - now < 0 ? now : due;
      turn();
    }
    now = end;
  }

  List<NodeId> queriedReplicas() {
    return replica.requests.stream().map(Request::other).toList();
  }

  Request openRequest(NodeId of) {
    return replica.requests.stream()
        .filter(request -> request.other().equals(of) && !request.response().isDone())
        .findFirst()
        .orElseThrow();
  }

  void respond(NodeId of, Position applied, Position pending) {
    respond(of, 1, applied, pending);
  }

  void respond(NodeId of, long epoch, Position applied, Position pending) {
    Request request = openRequest(of);
    request
        .response()
        .complete(repliesOf(of, request.scopes(), epoch, replica.quorum, applied, pending));
    turn();
  }

  void reject(NodeId of) {
    openRequest(of).response().complete(List.of());
    turn();
  }

  void fail(NodeId of) {
    openRequest(of).response().completeExceptionally(new IllegalStateException("no connection"));
    turn();
  }

  void execute(long index) {
    replica.executed = at(index);
    if (rounds.isBarred()) {
      turn();
    }
  }

  static void assertUnavailable(CompletableFuture<Position> readIndex, String reason) {
    assertThat(readIndex)
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(ConsensusException.Unavailable.class)
        .withMessageContaining(reason);
  }
}
