package io.quorate.rabia.engine;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Outcome;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.BarrierQueue;
import io.quorate.consensus.quorum.QuorumReads;
import io.quorate.consensus.quorum.QuorumRounds;
import io.quorate.consensus.quorum.QuorumRule;
import io.quorate.consensus.quorum.ReadBudget;
import io.quorate.consensus.quorum.Share;
import io.quorate.consensus.quorum.ShareExchange;
import io.quorate.rabia.core.Replica;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * Reads of one replica: its shares, for whoever asks, and read points, by a quorum or by consensus.
 * Any thread asks; the answers come from the replica's.
 */
final class ReadDesk implements QuorumReads, ReplicaLoop.Guest {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** A read by consensus: bounded, as every proposal is. */
  private record Placed(CompletableFuture<Outcome> outcome, long deadlineNanos) {}

  private record Wanted(
      List<KeyScope> scopes, Position atLeast, CompletableFuture<List<Share<Void>>> shares) {}

  private final Replica replica;
  private final ReplicaLoop loop;
  private final Proposals proposals;
  private final RabiaSettings settings;
  private final QuorumRounds rounds;
  private final Queue<Wanted> wanted = new ConcurrentLinkedQueue<>();
  private final ReadBudget wantedShares;
  private final Queue<Placed> placed = new ConcurrentLinkedQueue<>();

  // The replica's thread alone.
  private final BarrierQueue<Wanted> barred = new BarrierQueue<>();
  private int turn;
  private long roundsDueAt;

  /**
   * @param ask sends a request for shares to another replica; completes on any thread
   */
  ReadDesk(
      Replica replica,
      ReplicaLoop loop,
      Proposals proposals,
      RabiaSettings settings,
      BiFunction<NodeId, ByteBuffer, CompletionStage<ByteBuffer>> ask) {
    this.replica = replica;
    this.loop = loop;
    this.proposals = proposals;
    this.settings = settings;
    this.rounds = new QuorumRounds(new Peers(ask), settings.quorumBounds(), ReplicaClock::nanos);
    this.wantedShares = new ReadBudget(settings.quorumBounds());
  }

  @Override
  public CompletionStage<Share<Void>> share(KeyScope scope, Position atLeast) {
    return shares(List.of(scope), atLeast)
        .thenApply(
            shares -> {
              if (shares.isEmpty()) {
                throw new ConsensusException.Unavailable(
                    "This replica is catching up and has no part in reads.");
              }
              return shares.get(0);
            });
  }

  @Override
  public CompletionStage<Position> readPoint(KeyScope scope, QuorumRule rule) {
    CompletableFuture<Position> point = rounds.offer(scope, rule);
    loop.wake();
    return point;
  }

  /** Another replica's request for shares; empty for "not now". */
  CompletionStage<ByteBuffer> answer(ByteBuffer request) {
    try {
      return shares(ShareExchange.readRequest(request), Position.NONE)
          .thenApply(ShareExchange::answer);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** A place in the order (plain Rabia): a read is a command that writes nothing. */
  CompletionStage<Position> place() {
    CompletableFuture<Outcome> outcome = proposals.offer(PendingCommand.READ);
    if (outcome.isDone()) {
      return outcome.thenApply(Outcome::position);
    }
    placed.add(new Placed(outcome, ReplicaClock.nanos() + settings.readTimeout().toNanos()));
    loop.wake();
    return outcome.thenApply(Outcome::position);
  }

  @Override
  public void turn(long nowNanos) {
    for (Wanted next = wanted.poll(); next != null; next = wanted.poll()) {
      if (replica.executed().covers(next.atLeast())) {
        answer(next);
      } else {
        barred.add(next.atLeast(), nowNanos + settings.readTimeout().toNanos(), next);
      }
    }
    barred.release(replica.executed(), this::answer);
    roundsDueAt =
        rounds.turn(
            nowNanos, placed.isEmpty() ? ReplicaLoop.idle(nowNanos) : nowNanos + LOOK_NANOS);
    barred.expire(nowNanos, late -> late.shares().complete(List.of()));
    expirePlaced(nowNanos);
  }

  @Override
  public long dueAt(long nowNanos) {
    return barred.dueAt(roundsDueAt);
  }

  /** Fails what waits. On the replica's thread. */
  void close() {
    rounds.close();
    barred.clear(late -> late.shares().complete(List.of()));
    for (Wanted next = wanted.poll(); next != null; next = wanted.poll()) {
      next.shares().complete(List.of());
    }
  }

  private CompletableFuture<List<Share<Void>>> shares(List<KeyScope> scopes, Position atLeast) {
    CompletableFuture<List<Share<Void>>> shares = new CompletableFuture<>();
    int bytes = scopes.stream().mapToInt(ShareExchange::bytes).sum();
    if (!wantedShares.admit(bytes)) {
      shares.completeExceptionally(wantedShares.overloaded());
      return shares;
    }
    shares.whenComplete((done, failure) -> wantedShares.release(bytes));
    wanted.add(new Wanted(scopes, atLeast, shares));
    loop.wake();
    return shares;
  }

  private void answer(Wanted asked) {
    asked.shares().complete(sharesNow(asked.scopes()));
  }

  private List<Share<Void>> sharesNow(List<KeyScope> scopes) {
    List<Share<Void>> shares = new ArrayList<>(scopes.size());
    for (KeyScope scope : scopes) {
      Optional<Share<Void>> share = replica.share(scope);
      if (share.isEmpty()) {
        return List.of();
      }
      shares.add(share.get());
    }
    return shares;
  }

  private void expirePlaced(long nowNanos) {
    Placed oldest = placed.peek();
    while (oldest != null
        && (oldest.outcome().isDone() || oldest.deadlineNanos() - nowNanos <= 0)) {
      oldest
          .outcome()
          .completeExceptionally(
              new ConsensusException.Unavailable(
                  "The read got no place in the order within "
                      + settings.readTimeout().toMillis()
                      + " ms (rabia.read-timeout)."));
      placed.remove();
      oldest = placed.peek();
    }
  }

  private final class Peers implements QuorumRounds.Replica {
    private final BiFunction<NodeId, ByteBuffer, CompletionStage<ByteBuffer>> ask;

    Peers(BiFunction<NodeId, ByteBuffer, CompletionStage<ByteBuffer>> ask) {
      this.ask = ask;
    }

    @Override
    public List<Share<Void>> shares(List<KeyScope> scopes) {
      return sharesNow(scopes);
    }

    @Override
    public List<NodeId> others() {
      return loop.othersByLiveness(turn++);
    }

    @Override
    public CompletionStage<List<Share<Void>>> ask(NodeId other, List<KeyScope> scopes) {
      CompletableFuture<List<Share<Void>>> answer = new CompletableFuture<>();
      ask.apply(other, ShareExchange.request(scopes))
          .whenComplete(
              (bytes, failure) -> loop.execute(() -> read(other, scopes, bytes, failure, answer)));
      return answer;
    }

    private void read(
        NodeId other,
        List<KeyScope> scopes,
        ByteBuffer bytes,
        Throwable failure,
        CompletableFuture<List<Share<Void>>> answer) {
      if (failure != null) {
        answer.completeExceptionally(failure);
        return;
      }
      try {
        answer.complete(ShareExchange.readAnswer(other, scopes.size(), bytes));
      } catch (IOException e) {
        answer.completeExceptionally(e);
      }
    }

    @Override
    public Position executed() {
      return replica.executed();
    }

    @Override
    public long epoch() {
      return replica.latestConfiguration().epoch();
    }

    @Override
    public Optional<CompletionStage<Position>> askLeader() {
      return Optional.empty();
    }
  }
}
