package io.quorate.client;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Routing;
import io.quorate.client.wire.Status;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.QuorumRule;
import io.quorate.consensus.quorum.Share;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * An attempt at a read that this client serves itself, from shares of a quorum of replicas: sends
 * what {@link QuorumRound} decides. Lives on the event loop.
 *
 * @param <T> what is read
 */
final class QuorumAttempt<T> implements Attempt {
  private static final int PAUSE_DOUBLINGS_MOST = 5;

  /** After so many, which take 0.2 s in all, a node is asked, which may ask the leader. */
  private static final int PAUSES_MOST = 10;

  private final ClientCore core;
  private final Call<T> call;
  private final SharedRead<T> read;
  private final RegionDescriptor region;
  private final Duration timeout;
  private final QuorumRule rule;

  /** The present one: under some rules shares are taken more than once. */
  private QuorumRound<T> round;

  private int pauses;
  private Setback last;
  private boolean sent;
  private boolean ended;
  // Null before the first replica is asked.
  private ScheduledFuture<?> hedge;

  QuorumAttempt(
      ClientCore core,
      Call<T> call,
      SharedRead<T> read,
      RegionDescriptor region,
      QuorumRule rule,
      Duration timeout) {
    this.core = core;
    this.call = call;
    this.read = read;
    this.region = region;
    this.timeout = timeout;
    this.rule = rule;
    this.round = newRound();
    this.last = new Setback.Inconclusive("too few replicas of region " + region.id() + " answered");
  }

  private QuorumRound<T> newRound() {
    return new QuorumRound<>(core.router().order(region, core::isReachable), rule);
  }

  @Override
  public void start() {
    follow(round.begin());
  }

  @Override
  public void timedOut() {
    round.unanswered().forEach(core.router()::unreachable);
    boolean cutShort = timeout.compareTo(core.options().attemptTimeout()) < 0;
    end(
        new Setback.TimedOut(
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

  private void follow(QuorumRound.Step<T> step) {
    if (step instanceof QuorumRound.Step.Ask<T> ask) {
      armHedge();
      for (NodeId replica : ask.replicas()) {
        ask(replica, ask.atLeast());
      }
    } else if (step instanceof QuorumRound.Step.Answer<T> answer) {
      // Until they are heard from: one that is merely slow will be, at once.
      round.late().forEach(core.router()::unhelpful);
      abandoned();
      call.succeed(answer.value());
    } else if (step instanceof QuorumRound.Step.Pause<T>) {
      pause();
    } else if (step instanceof QuorumRound.Step.StartOver<T>) {
      end(
          new Setback.Inconclusive(
              "the members of region " + region.id() + " changed during the read"));
    } else if (step instanceof QuorumRound.Step.Exhausted<T>) {
      end(last);
    }
  }

  private void ask(NodeId replica, Position atLeast) {
    if (ended) {
      return;
    }
    Question question = new Question(replica, atLeast);
    if (core.router().knows(replica)) {
      core.link(replica).send(question);
    } else {
      question.failed(new Setback.Lost(false, "node " + replica + " is on the map no longer"));
    }
  }

  private void pause() {
    if (pauses == PAUSES_MOST) {
      end(new Setback.Inconclusive("region " + region.id() + " is written all the time"));
      return;
    }
    if (hedge != null) {
      hedge.cancel(false);
    }
    round = newRound();
    long millis = 1L << Math.min(pauses++, PAUSE_DOUBLINGS_MOST);
    core.loop().schedule(this::again, millis, TimeUnit.MILLISECONDS);
  }

  private void again() {
    if (!ended) {
      follow(round.begin());
    }
  }

  private void armHedge() {
    if (hedge != null) {
      hedge.cancel(false);
    }
    hedge =
        core.loop()
            .schedule(this::overdue, core.hedgeDelay().present().toNanos(), TimeUnit.NANOSECONDS);
  }

  private void overdue() {
    if (!ended) {
      follow(round.overdue());
    }
  }

  private void end(Setback setback) {
    if (!ended) {
      abandoned();
      call.setback(this, setback);
    }
  }

  /** Whether every other replica would say the same. */
  private static boolean isFinal(Setback setback) {
    return setback instanceof Setback.TooLarge
        || setback instanceof Setback.Incompatible
        || (setback instanceof Setback.Answered answered && answered.status() == Status.INVALID);
  }

  /** What one replica is asked. */
  private final class Question implements Exchange {
    private final NodeId replica;
    private final Position atLeast;
    private final QuorumRound<T> of = round;
    private final long askedNanos = System.nanoTime();

    Question(NodeId replica, Position atLeast) {
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
      int timeoutMillis = (int) Math.max(1, timeout.toMillis());
      DataFrames.writeRouting(
          to, new Routing(region.id().value(), region.epoch().value(), timeoutMillis));
      read.writeBody(to, atLeast);
    }

    @Override
    public boolean isWanted() {
      return !ended && of == round;
    }

    @Override
    public void succeeded(ByteBuf body) {
      core.router().answered(replica);
      if (atLeast.equals(Position.NONE)) {
        // Late ones count too: who is slow now is what the delay is to follow.
        long nanos = System.nanoTime() - askedNanos;
        core.hedgeDelay().answered(nanos);
        core.router().measured(replica, nanos, DataFrames.loadOf(body));
      }
      if (isWanted()) {
        Share<T> share = read.read(body, replica);
        follow(round.answered(share, atLeast));
      }
    }

    @Override
    public void failed(Setback setback) {
      core.learnFrom(setback, region, replica);
      if (!isWanted()) {
        return;
      }
      last = setback;
      if (isFinal(setback)) {
        end(setback);
      } else {
        follow(round.failed(replica, atLeast));
      }
    }
  }
}
