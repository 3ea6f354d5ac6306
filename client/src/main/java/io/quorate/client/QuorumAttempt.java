package io.quorate.client;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Status;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.QuorumRule;
import io.quorate.consensus.quorum.ReadReply;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * An attempt at a read that this client serves itself, from the read replies of a quorum of
 * replicas: sends the requests that {@link QuorumRound} decides on. Used by the event loop only.
 *
 * @param <T> the type of the result
 */
final class QuorumAttempt<T> implements Attempt {
  private static final int PAUSE_DOUBLINGS_MAX = 5;

  /**
   * After this many pauses, which take 0.2 s in all, the read is sent to a node, which can forward
   * it to the leader.
   */
  private static final int PAUSES_MAX = 10;

  private final ClientContext context;
  private final Call<T> call;
  private final SharedRead<T> read;
  private final RegionDescriptor region;
  private final Duration timeout;
  private final QuorumRule rule;

  /** The present round; under some rules a read takes several. */
  private QuorumRound<T> round;

  private int pauses;
  private AttemptFailure last;
  private boolean sent;
  private boolean ended;
  // Null before the first request.
  private ScheduledFuture<?> hedge;

  QuorumAttempt(
      ClientContext context,
      Call<T> call,
      SharedRead<T> read,
      RegionDescriptor region,
      QuorumRule rule,
      Duration timeout) {
    this.context = context;
    this.call = call;
    this.read = read;
    this.region = region;
    this.timeout = timeout;
    this.rule = rule;
    this.round = newRound();
    this.last =
        new AttemptFailure.Inconclusive("too few replicas of region " + region.id() + " responded");
  }

  private QuorumRound<T> newRound() {
    return new QuorumRound<>(context.router().order(region, context::isReachable), rule);
  }

  @Override
  public void start() {
    execute(round.begin());
  }

  @Override
  public void timedOut() {
    round.unanswered().forEach(context.router()::unreachable);
    boolean cutShort = timeout.compareTo(context.options().attemptTimeout()) < 0;
    end(
        new AttemptFailure.TimedOut(
            sent,
            cutShort,
            "the replicas "
                + round.unanswered()
                + " of region "
                + region.id()
                + " did not answer within "
                + Durations.text(timeout)));
  }

  @Override
  public void abandoned() {
    ended = true;
    if (hedge != null) {
      hedge.cancel(false);
    }
  }

  @Override
  public boolean isSent() {
    return sent;
  }

  @Override
  public RegionDescriptor region() {
    return region;
  }

  @Override
  public Optional<NodeId> node() {
    return Optional.empty();
  }

  private void execute(QuorumRound.Step<T> step) {
    if (step instanceof QuorumRound.Step.Send<T> send) {
      armHedge();
      for (NodeId replica : send.replicas()) {
        send(replica, send.atLeast());
      }
    } else if (step instanceof QuorumRound.Step.Complete<T> complete) {
      // Until they respond: a replica that is merely slow does so soon.
      round.late().forEach(context.router()::suspect);
      abandoned();
      call.succeed(complete.value());
    } else if (step instanceof QuorumRound.Step.Pause<T>) {
      pause();
    } else if (step instanceof QuorumRound.Step.Restart<T>) {
      end(
          new AttemptFailure.Inconclusive(
              "the members of region " + region.id() + " changed during the read"));
    } else if (step instanceof QuorumRound.Step.Exhausted<T>) {
      end(last);
    }
  }

  private void send(NodeId replica, Position atLeast) {
    if (ended) {
      return;
    }
    ReplicaRequest request = new ReplicaRequest(replica, atLeast);
    if (context.router().contains(replica)) {
      context.pool(replica).send(request);
    } else {
      request.failed(
          new AttemptFailure.Lost(false, "node " + replica + " is no longer in the topology"));
    }
  }

  private void pause() {
    if (pauses == PAUSES_MAX) {
      end(
          new AttemptFailure.Inconclusive(
              "region " + region.id() + " had a pending write in every round"));
      return;
    }
    if (hedge != null) {
      hedge.cancel(false);
    }
    round = newRound();
    long millis = 1L << Math.min(pauses++, PAUSE_DOUBLINGS_MAX);
    context.loop().schedule(this::restart, millis, TimeUnit.MILLISECONDS);
  }

  private void restart() {
    if (!ended) {
      execute(round.begin());
    }
  }

  private void armHedge() {
    if (hedge != null) {
      hedge.cancel(false);
    }
    hedge =
        context
            .loop()
            .schedule(this::hedge, context.hedgeDelay().current().toNanos(), TimeUnit.NANOSECONDS);
  }

  private void hedge() {
    if (!ended) {
      execute(round.hedge());
    }
  }

  private void end(AttemptFailure failure) {
    if (!ended) {
      abandoned();
      call.attemptFailed(this, failure);
    }
  }

  /** Whether every other replica would respond with the same failure. */
  private static boolean isFinal(AttemptFailure failure) {
    return failure instanceof AttemptFailure.TooLarge
        || failure instanceof AttemptFailure.Incompatible
        || (failure instanceof AttemptFailure.ErrorResponse error
            && error.status() == Status.INVALID);
  }

  /** The request to one replica. */
  private final class ReplicaRequest implements PendingRequest {
    private final NodeId replica;
    private final Position atLeast;
    private final QuorumRound<T> requestRound = round;
    private final long sentNanos = System.nanoTime();

    ReplicaRequest(NodeId replica, Position atLeast) {
      this.replica = replica;
      this.atLeast = atLeast;
    }

    @Override
    public Opcode opcode() {
      return Opcode.SHARE;
    }

    @Override
    public int bodyBytes() {
      return DataFrames.routingBytes() + read.bodyBytes();
    }

    @Override
    public void writeBody(ByteBuf to) {
      sent = true;
      DataFrames.writeRouting(to, region.routing(timeout));
      read.writeBody(to, atLeast);
    }

    @Override
    public boolean isWanted() {
      return !ended && requestRound == round;
    }

    @Override
    public void succeeded(ByteBuf body) {
      context.router().responded(replica);
      if (atLeast.equals(Position.NONE)) {
        // Late responses count too: the delay must follow replicas that have become slow.
        long nanos = System.nanoTime() - sentNanos;
        context.hedgeDelay().record(nanos);
        context.router().recordLatency(replica, nanos, DataFrames.loadOf(body));
      }
      if (isWanted()) {
        ReadReply<T> reply = read.read(body, replica);
        execute(round.replied(reply, atLeast));
      }
    }

    @Override
    public void failed(AttemptFailure failure) {
      context.recordFailure(failure, region, replica);
      if (!isWanted()) {
        return;
      }
      last = failure;
      if (isFinal(failure)) {
        end(failure);
      } else {
        execute(round.failed(replica, atLeast));
      }
    }
  }
}
