package io.quorate.client.internal.call;

import io.netty.buffer.ByteBuf;
import io.quorate.client.Durations;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.internal.connection.AttemptFailure;
import io.quorate.client.internal.connection.PendingRequest;
import io.quorate.client.internal.topology.TopologyReader;
import io.quorate.common.Backoff;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadReply;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;

/**
 * An attempt at a read that this client serves itself, from the read replies of a quorum of
 * replicas: sends the requests that {@link QuorumRound} decides on. Used by the event loop only.
 *
 * @param <T> the type of the result
 */
final class QuorumAttempt<T> implements Attempt, QuorumRound.Step.Visitor<T> {
  private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(1), Duration.ofMillis(32));

  /**
   * After this many pauses, which take 0.2 s in all, the read is sent to a node, which can forward
   * it to the leader.
   */
  private static final int PAUSES_MAX = 10;

  private final ClientContext context;
  private final RegionCall<T> call;
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
      RegionCall<T> call,
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
    round.begin().accept(this);
  }

  @Override
  public void timedOut() {
    round.awaited().forEach(context.router()::unreachable);
    boolean cutShort = timeout.compareTo(context.options().attemptTimeout()) < 0;
    end(
        new AttemptFailure.TimedOut(
            sent,
            cutShort,
            "the replicas "
                + round.awaited()
                + " of region "
                + region.id()
                + " did not respond within "
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

  @Override
  public void send(QuorumRound.Step.Send<T> step) {
    armHedge();
    for (NodeId replica : step.replicas()) {
      send(replica, step.atLeast());
    }
  }

  @Override
  public void await(QuorumRound.Step.Await<T> step) {
    // The responses to the requests in flight continue the read.
  }

  @Override
  public void complete(QuorumRound.Step.Complete<T> step) {
    // Until they respond: a replica that is merely slow does so soon.
    round.late().forEach(context.router()::suspect);
    abandoned();
    call.succeed(step.value());
  }

  @Override
  public void restart(QuorumRound.Step.Restart<T> step) {
    end(
        new AttemptFailure.Inconclusive(
            "the members of region " + region.id() + " changed during the read"));
  }

  @Override
  public void exhausted(QuorumRound.Step.Exhausted<T> step) {
    end(last);
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

  @Override
  public void pause(QuorumRound.Step.Pause<T> step) {
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
    call.enterAfter(context.loop(), BACKOFF.nanos(pauses++), this::beginRound);
  }

  private void beginRound() {
    if (!ended) {
      round.begin().accept(this);
    }
  }

  private void armHedge() {
    if (hedge != null) {
      hedge.cancel(false);
    }
    hedge = call.enterAfter(context.loop(), context.hedgeDelay().current().toNanos(), this::hedge);
  }

  private void hedge() {
    if (!ended) {
      round.hedge().accept(this);
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
    return switch (failure.kind()) {
      case TOO_LARGE, INCOMPATIBLE -> true;
      case ERROR_RESPONSE -> ((AttemptFailure.ErrorResponse) failure).status() == Status.INVALID;
      case LOST, TIMED_OUT, INCONCLUSIVE -> false;
    };
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
      return Opcode.READ_REPLY;
    }

    @Override
    public int bodyBytes() {
      return DataFrames.routingBytes() + read.bodyBytes();
    }

    @Override
    public void writeBody(ByteBuf to) {
      sent = true;
      DataFrames.writeRouting(to, TopologyReader.routing(region, timeout));
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
        round.replied(reply, atLeast).accept(QuorumAttempt.this);
      }
    }

    @Override
    public void thrown(Throwable cause) {
      call.thrown(cause);
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
        round.failed(replica, atLeast).accept(QuorumAttempt.this);
      }
    }
  }
}
