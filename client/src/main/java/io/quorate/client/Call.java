package io.quorate.client;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Opcode;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.quorum.QuorumRule;
import io.quorate.consensus.quorum.ReadMix;
import io.quorate.operation.RequestTag;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * One call from its start to its end: waits for its turn, then makes attempts, one at a time, until
 * one of them settles it or the deadline passes. Lives on the event loop.
 */
final class Call<T> implements Admission.Applicant, MapWaiter {
  private final ClientCore core;
  private final Request<T> request;
  private final CompletableFuture<T> future;
  private final long callNanos = System.nanoTime();
  private final Duration deadline;
  private final Runnable whenRoom = () -> attempt(Optional.empty(), Optional.empty());
  private CallProgress progress;
  private Optional<NodeId> lastAsked = Optional.empty();
  private Optional<ReadMix.Way> way = Optional.empty();
  private long begunNanos;
  private int attempts;
  private boolean waited;
  private boolean ended;
  // Null while no attempt is under way, and while nothing is waited for.
  private Attempt current;
  private ScheduledFuture<?> timer;

  Call(ClientCore core, Request<T> request, CompletableFuture<T> future, Duration deadline) {
    this.core = core;
    this.request = request;
    this.future = future;
    this.deadline = deadline;
    this.progress = CallProgress.start(request.kind() == CallReport.Kind.WRITE, deadline);
  }

  /** Asks for a turn, and begins if it gets one at once. */
  void apply() {
    if (core.admission().apply(this)) {
      begin();
    } else {
      waited = true;
      arm(left(), () -> fail(new OverloadedException(core.inFlightBound(deadline))));
    }
  }

  @Override
  public long costBytes() {
    return request.costBytes();
  }

  @Override
  public void admitted() {
    core.loop().execute(this::begin);
  }

  @Override
  public void mapLearnt() {
    attempt(Optional.empty(), Optional.empty());
  }

  @Override
  public void mapRefused(QuorateException why) {
    fail(why);
  }

  /** Ends the call because the client is being closed. */
  void clientClosed() {
    boolean mayHaveHappened =
        progress.inDoubt() || (progress.write() && current != null && current.isSent());
    fail(
        mayHaveHappened
            ? new IndeterminateException(
                "The client was closed before the write was confirmed; it may have taken effect.")
            : new ClientClosedException("The client was closed."));
  }

  private void begin() {
    if (ended) {
      return;
    }
    if (!core.policy().allowsAttempt(progress, left())) {
      fail(
          waited
              ? new OverloadedException(core.inFlightBound(deadline))
              : core.policy().expired(progress));
      return;
    }
    attempt(Optional.empty(), Optional.empty());
  }

  /**
   * @param target the node to ask; where it is empty, or not on the map, the router chooses
   * @param avoid a node to ask only if there is no other
   */
  private void attempt(Optional<NodeId> target, Optional<NodeId> avoid) {
    if (ended) {
      return;
    }
    Duration left = left();
    if (left.isNegative() || left.isZero()) {
      fail(core.policy().expired(progress));
      return;
    }
    Optional<ClusterMap> map = core.router().map();
    if (map.isEmpty()) {
      arm(left, this::noMapInTime);
      core.awaitMap(this);
      return;
    }
    RegionDescriptor region = map.get().regionOf(request.key());
    try {
      request.requireWithin(map.get(), region);
    } catch (InvalidRequestException e) {
      fail(progress.inDoubt() ? new IndeterminateException(e.getMessage()) : e);
      return;
    }
    if (!request.maySend(core.writes(), region.id(), whenRoom)) {
      arm(left, () -> fail(new OverloadedException(stuckWrite(region))));
      return;
    }
    Duration attemptTimeout = core.options().attemptTimeout();
    Duration timeout = left.compareTo(attemptTimeout) < 0 ? left : attemptTimeout;
    Attempt attempt = attempt(map.get(), region, target, avoid, timeout);
    current = attempt;
    attempts++;
    arm(timeout, attempt::timedOut);
    attempt.start();
  }

  /**
   * A read that this client merges itself goes by a node when that has failed once in a group with
   * a leader: a node knows when to ask the leader instead.
   */
  private Attempt attempt(
      ClusterMap map,
      RegionDescriptor region,
      Optional<NodeId> target,
      Optional<NodeId> avoid,
      Duration timeout) {
    way = Optional.empty();
    Optional<SharedRead<T>> shared =
        map.leadersOnly() && progress.last().isPresent() ? Optional.empty() : request.shared(map);
    if (shared.isPresent()) {
      way = core.mix().map(mix -> mix.next(region.replicas().size()));
      begunNanos = System.nanoTime();
      Optional<NodeId> leader =
          core.router().leader(region.id()).filter(core::isReachable).filter(node -> leads());
      return leader.isPresent()
          ? new NodeAttempt(region, leader.get(), timeout)
          : new QuorumAttempt<>(
              core,
              this,
              shared.get(),
              region,
              map.reads().quorumRule().orElse(QuorumRule.BARRIER),
              timeout);
    }
    NodeId node =
        target
            .filter(core.router()::knows)
            .orElseGet(
                () ->
                    core.router()
                        .choose(region, request.isForReplicas(map), avoid, core::isReachable));
    return new NodeAttempt(region, node, timeout);
  }

  private boolean leads() {
    return way.equals(Optional.of(ReadMix.Way.LEADER));
  }

  /** Tells how long the way took that was chosen for a divided read. */
  private void measure() {
    if (way.isPresent()) {
      long nanos = System.nanoTime() - begunNanos;
      core.mix().ifPresent(mix -> mix.took(way.get(), nanos));
      way = Optional.empty();
    }
  }

  private static String stuckWrite(RegionDescriptor region) {
    return "A write to region "
        + region.id()
        + " has had no answer for so long that "
        + RequestTag.WINDOW
        + " later ones to it were sent; no more are until it has.";
  }

  /** An attempt has ended without a value. */
  void setback(Attempt attempt, Setback setback) {
    if (ended || attempt != current) {
      return;
    }
    current = null;
    measure();
    lastAsked = attempt.node();
    progress = progress.after(setback);
    lastAsked.ifPresent(node -> core.learnFrom(setback, attempt.region(), node));
    Decision decision = core.policy().after(progress, setback, core.router()::knows, left());
    if (decision instanceof Decision.Redirect redirect) {
      attempt(Optional.of(redirect.leader()), lastAsked);
    } else if (decision instanceof Decision.Retry retry) {
      retry(retry);
    } else if (decision instanceof Decision.GiveUp giveUp) {
      fail(giveUp.why());
    }
  }

  private void retry(Decision.Retry retry) {
    if (retry.refreshMap()) {
      core.refreshMap();
    }
    Optional<NodeId> avoid = retry.elsewhere() ? lastAsked : Optional.empty();
    if (retry.pause().isZero()) {
      attempt(Optional.empty(), avoid);
    } else {
      progress = progress.paused();
      arm(retry.pause(), () -> attempt(Optional.empty(), avoid));
    }
  }

  private void noMapInTime() {
    if (progress.last().isEmpty()) {
      progress = progress.after(new Setback.Lost(false, core.mapProblem()));
    }
    fail(core.policy().expired(progress));
  }

  /** An attempt has ended with a value. */
  void succeed(T value) {
    measure();
    end(Optional.empty());
    future.complete(value);
  }

  private void fail(QuorateException why) {
    if (!ended) {
      end(Optional.of(why));
      future.completeExceptionally(why);
    }
  }

  CallReport report(Optional<QuorateException> failure) {
    return new CallReport(
        request.kind(), Duration.ofNanos(System.nanoTime() - callNanos), attempts, failure);
  }

  private void end(Optional<QuorateException> failure) {
    ended = true;
    if (current != null) {
      current.abandoned();
      current = null;
    }
    if (timer != null) {
      timer.cancel(false);
    }
    request.ended();
    core.admission().leave(this);
    core.ended(this, failure);
  }

  /** Calls back after a while, instead of what was to be called back before. */
  private void arm(Duration after, Runnable then) {
    if (timer != null) {
      timer.cancel(false);
    }
    timer = core.loop().schedule(then, Math.max(0, after.toNanos()), TimeUnit.NANOSECONDS);
  }

  private Duration left() {
    return deadline.minusNanos(System.nanoTime() - callNanos);
  }

  /** An attempt at one node. An answer that comes after the next attempt began still counts. */
  private final class NodeAttempt implements Attempt, Exchange {
    private final RegionDescriptor region;
    private final NodeId node;
    private final Duration timeout;
    private boolean sent;

    NodeAttempt(RegionDescriptor region, NodeId node, Duration timeout) {
      this.region = region;
      this.node = node;
      this.timeout = timeout;
    }

    @Override
    public void start() {
      core.link(node).send(this);
    }

    @Override
    public void abandoned() {
      // It notices by itself, and its answer may come in handy.
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
      return Optional.of(node);
    }

    @Override
    public void timedOut() {
      setback(
          this,
          new Setback.TimedOut(
              sent,
              timeout.compareTo(core.options().attemptTimeout()) < 0,
              "node " + node + " did not answer within " + Durations.text(timeout)));
    }

    @Override
    public Opcode opcode() {
      return request.opcode();
    }

    @Override
    public int bodyBytes() {
      return DataFrames.routingBytes() + request.bodyBytes();
    }

    @Override
    public void writeBody(ByteBuf to) {
      sent = true;
      DataFrames.writeRouting(to, region.routing(timeout));
      request.writeBody(to, region);
    }

    @Override
    public boolean isWanted() {
      return !ended && current == this;
    }

    @Override
    public void succeeded(ByteBuf body) {
      core.router().answered(node);
      if (ended) {
        return;
      }
      T value;
      try {
        value = request.read(body, region);
      } catch (QuorateException e) {
        fail(e);
        return;
      }
      succeed(value);
    }

    @Override
    public void failed(Setback setback) {
      setback(this, setback);
    }
  }
}
