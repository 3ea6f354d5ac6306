package io.quorate.client;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Opcode;
import io.quorate.consensus.NodeId;
import io.quorate.operation.RequestId;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadBalancer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * One call to a region, from its start to its end: waits for admission, then makes attempts, one at
 * a time, until an attempt settles the call or the deadline passes. Used by the event loop only.
 */
final class RegionCall<T>
    implements FlowController.Candidate, TopologyWaiter, RetryDecision.Visitor {
  private final ClientContext context;
  private final RegionRequest<T> request;
  private final CompletableFuture<T> future;
  private final long startNanos = System.nanoTime();
  private final Duration deadline;
  private final Runnable whenCapacity = () -> attempt(Optional.empty(), Optional.empty());
  private RetryState progress;
  private Optional<NodeId> lastTarget = Optional.empty();
  private Optional<ReadBalancer.Way> readPath = Optional.empty();
  private long attemptStartNanos;
  private int attempts;
  private boolean waited;
  private boolean begun;
  private boolean ended;
  // Null while there is no attempt in progress, and while no timer is armed.
  private Attempt current;
  private ScheduledFuture<?> timer;

  RegionCall(
      ClientContext context,
      RegionRequest<T> request,
      CompletableFuture<T> future,
      Duration deadline) {
    this.context = context;
    this.request = request;
    this.future = future;
    this.deadline = deadline;
    this.progress = RetryState.start(request.kind() == CallReport.Kind.WRITE, deadline);
  }

  /** Requests admission, and begins the call if it is admitted immediately. */
  void start() {
    if (context.admission().admit(this)) {
      begin();
    } else {
      waited = true;
      arm(left(), () -> fail(new OverloadedException(context.inFlightBound(deadline))));
    }
  }

  @Override
  public long costBytes() {
    return request.costBytes();
  }

  @Override
  public void admitted() {
    context.loop().execute(this::begin);
  }

  @Override
  public void topologyLearned() {
    attempt(Optional.empty(), Optional.empty());
  }

  @Override
  public void topologyRejected(QuorateException cause) {
    fail(cause);
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

  /**
   * Goes on in a cluster that was founded anew, or ends if the former one may have executed a
   * write: what was loaded into the present one may have its effect.
   */
  void foundedAnew() {
    if (progress.inDoubt() || (progress.write() && current != null && current.isSent())) {
      fail(
          new IndeterminateException(
              "The cluster was founded anew before the write was confirmed; it may have taken effect"
                  + " in the former one."));
    } else if (begun && !ended) {
      if (current != null) {
        current.abandoned();
        current = null;
      }
      readPath = Optional.empty();
      request.beginAnew();
      // After the present topology is known.
      context.loop().execute(this::attemptUnlessBegun);
    }
  }

  private void attemptUnlessBegun() {
    if (current == null) {
      attempt(Optional.empty(), Optional.empty());
    }
  }

  private void begin() {
    if (ended) {
      return;
    }
    begun = true;
    if (!context.policy().allowsAttempt(progress, left())) {
      fail(
          waited
              ? new OverloadedException(context.inFlightBound(deadline))
              : context.policy().expired(progress));
      return;
    }
    attempt(Optional.empty(), Optional.empty());
  }

  /**
   * @param target the node to which the request is sent; if it is empty or not in the topology, the
   *     router chooses
   * @param avoid the node that is chosen only if there is no other
   */
  private void attempt(Optional<NodeId> target, Optional<NodeId> avoid) {
    if (ended) {
      return;
    }
    Duration left = left();
    if (left.isNegative() || left.isZero()) {
      fail(context.policy().expired(progress));
      return;
    }
    Optional<TopologySnapshot> topology = context.router().topology();
    if (topology.isEmpty()) {
      arm(left, this::topologyTimedOut);
      context.awaitTopology(this);
      return;
    }
    RegionDescriptor region = topology.get().regionOf(request.key());
    try {
      request.requireWithin(topology.get(), region);
    } catch (InvalidRequestException e) {
      fail(progress.inDoubt() ? new IndeterminateException(e.getMessage()) : e);
      return;
    }
    if (!request.maySend(context.writes(), region.id(), progress.inDoubt(), whenCapacity)) {
      arm(left, () -> fail(new OverloadedException(windowFull(region))));
      return;
    }
    Duration attemptTimeout = context.options().attemptTimeout();
    Duration timeout = left.compareTo(attemptTimeout) < 0 ? left : attemptTimeout;
    Attempt attempt = attempt(topology.get(), region, target, avoid, timeout);
    current = attempt;
    attempts++;
    arm(timeout, attempt::timedOut);
    attempt.start();
  }

  /**
   * A quorum read that this client merges itself is sent as a plain read to one node after it has
   * failed once in a group with a leader: a node can forward the read to the leader.
   */
  private Attempt attempt(
      TopologySnapshot topology,
      RegionDescriptor region,
      Optional<NodeId> target,
      Optional<NodeId> avoid,
      Duration timeout) {
    readPath = Optional.empty();
    Optional<SharedRead<T>> shared =
        topology.leadersOnly() && progress.last().isPresent()
            ? Optional.empty()
            : request.sharedRead(topology);
    if (shared.isPresent()) {
      readPath = context.readBalancer().map(balancer -> balancer.next(region.replicas().size()));
      attemptStartNanos = System.nanoTime();
      Optional<NodeId> leader =
          context
              .router()
              .leader(region.id())
              .filter(context::isReachable)
              .filter(node -> isLeaderPath());
      return leader.isPresent()
          ? new NodeAttempt(region, leader.get(), timeout)
          : new QuorumAttempt<>(
              context,
              this,
              shared.get(),
              region,
              topology.reads().quorumRule().orElse(QuorumRule.BARRIER),
              timeout);
    }
    NodeId node =
        target
            .filter(context.router()::contains)
            .orElseGet(
                () ->
                    context
                        .router()
                        .choose(
                            region, request.isForReplicas(topology), avoid, context::isReachable));
    return new NodeAttempt(region, node, timeout);
  }

  private boolean isLeaderPath() {
    return readPath.equals(Optional.of(ReadBalancer.Way.LEADER));
  }

  /** Reports the latency of the path that was chosen for a balanced read. */
  private void recordLatency() {
    if (readPath.isPresent()) {
      long nanos = System.nanoTime() - attemptStartNanos;
      context.readBalancer().ifPresent(balancer -> balancer.took(readPath.get(), nanos));
      readPath = Optional.empty();
    }
  }

  private static String windowFull(RegionDescriptor region) {
    return "A write to region "
        + region.id()
        + " has no response yet, and "
        + RequestId.WINDOW
        + " later ones to it were sent; no more are sent until it ends.";
  }

  /** Called when an attempt has ended without a value. */
  void attemptFailed(Attempt attempt, AttemptFailure failure) {
    if (ended || attempt != current) {
      return;
    }
    current = null;
    recordLatency();
    lastTarget = attempt.node();
    progress = progress.after(failure);
    lastTarget.ifPresent(node -> context.recordFailure(failure, attempt.region(), node));
    context.policy().after(progress, failure, context.router()::contains, left()).accept(this);
  }

  @Override
  public void redirect(RetryDecision.Redirect decision) {
    attempt(Optional.of(decision.leader()), lastTarget);
  }

  @Override
  public void giveUp(RetryDecision.GiveUp decision) {
    fail(decision.cause());
  }

  @Override
  public void retry(RetryDecision.Retry retry) {
    if (retry.refreshTopology()) {
      context.refreshTopology();
    }
    Optional<NodeId> avoid = retry.elsewhere() ? lastTarget : Optional.empty();
    if (retry.pause().isZero()) {
      attempt(Optional.empty(), avoid);
    } else {
      progress = progress.paused();
      arm(retry.pause(), () -> attempt(Optional.empty(), avoid));
    }
  }

  private void beginAnew() {
    current = null;
    recordLatency();
    request.beginAnew();
    progress = progress.begunAnew();
    context.policy().again(progress, left()).accept(this);
  }

  private void topologyTimedOut() {
    if (progress.last().isEmpty()) {
      progress = progress.after(new AttemptFailure.Lost(false, context.topologyProblem()));
    }
    fail(context.policy().expired(progress));
  }

  /** Called when an attempt has ended with a value. */
  void succeed(T value) {
    recordLatency();
    end(Optional.empty());
    future.complete(value);
  }

  private void fail(QuorateException cause) {
    if (!ended) {
      end(Optional.of(cause));
      future.completeExceptionally(cause);
    }
  }

  CallReport report(Optional<QuorateException> failure) {
    return new CallReport(
        request.kind(), Duration.ofNanos(System.nanoTime() - startNanos), attempts, failure);
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
    context.admission().release(this);
    context.ended(this, failure);
  }

  /** Runs {@code then} after a delay, and cancels what was armed before. */
  private void arm(Duration after, Runnable then) {
    if (timer != null) {
      timer.cancel(false);
    }
    timer = context.loop().schedule(then, Math.max(0, after.toNanos()), TimeUnit.NANOSECONDS);
  }

  private Duration left() {
    return deadline.minusNanos(System.nanoTime() - startNanos);
  }

  /**
   * An attempt at one node. A response that is received after the next attempt has begun still
   * counts.
   */
  private final class NodeAttempt implements Attempt, PendingRequest {
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
      context.pool(node).send(this);
    }

    @Override
    public void abandoned() {
      // Not cancelled: a late response still completes the call.
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
      attemptFailed(
          this,
          new AttemptFailure.TimedOut(
              sent,
              timeout.compareTo(context.options().attemptTimeout()) < 0,
              "node " + node + " did not respond within " + Durations.text(timeout)));
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
      context.router().responded(node);
      context.writes().learn(region.id(), DataFrames.positionOf(body));
      if (ended) {
        return;
      }
      if (current == this && !progress.inDoubt() && request.isToBeginAnew(body)) {
        beginAnew();
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
    public void failed(AttemptFailure failure) {
      attemptFailed(this, failure);
    }
  }
}
