package io.quorate.client.internal.call;

import io.netty.buffer.ByteBuf;
import io.quorate.client.ClientClosedException;
import io.quorate.client.IndeterminateException;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.OverloadedException;
import io.quorate.client.QuorateException;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.internal.connection.AttemptFailure;
import io.quorate.client.internal.connection.Guarded;
import io.quorate.client.internal.order.OrderedCall;
import io.quorate.client.internal.order.Turn;
import io.quorate.client.internal.topology.TopologySnapshot;
import io.quorate.client.internal.topology.TopologyWaiter;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.protocol.operation.RequestId;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadBalancer;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One call to a region, from its start to its end: waits for admission, then makes attempts, one at
 * a time, until an attempt settles the call or the deadline passes. Used by the event loop only.
 */
final class RegionCall<T>
    implements FlowController.Candidate, OrderedCall, TopologyWaiter, RetryDecision.Visitor {
  private static final Logger LOG = LoggerFactory.getLogger(RegionCall.class);

  private final ClientContext context;
  private final RegionRequest<T> request;
  private final CompletableFuture<T> future;
  private final FlowController.Ticket ticket;
  private final ObservedCall observed;
  private final long startNanos;
  private final Duration deadline;
  private final CallTimer timer;
  private final Runnable whenCapacity = () -> enter(this::attemptAnywhere);
  private RetryState progress;
  private Optional<NodeId> lastTarget = Optional.empty();

  /** Empty if the call has no order. */
  private Optional<Turn> turn = Optional.empty();

  private Optional<ReadBalancer.Way> readPath = Optional.empty();
  private long attemptStartNanos;

  /** The write that the call leaves in doubt at its end. */
  private Optional<UnsettledWrite> unsettled = Optional.empty();

  private boolean waited;
  private boolean requestedAdmission;
  private boolean begun;
  private boolean attempted;
  private boolean ended;

  /** Whether any request was sent, so that it may have had an effect. */
  private boolean everSent;

  // Null while there is no attempt in progress.
  private Attempt current;

  RegionCall(
      ClientContext context,
      RegionRequest<T> request,
      CompletableFuture<T> future,
      RetryState start,
      FlowController.Ticket ticket,
      ObservedCall observed,
      long startNanos) {
    this.context = context;
    this.request = request;
    this.future = future;
    this.deadline = start.deadline();
    this.progress = start;
    this.ticket = ticket;
    this.observed = observed;
    this.startNanos = startNanos;
    this.timer = new CallTimer(context.loop(), this, startNanos, deadline, this::expired);
  }

  /** Requests admission, and begins the call if it is admitted immediately. */
  void start() {
    if (opened()) {
      requestAdmission();
    }
  }

  /** As {@link #start}, when the turn of the call among those of its keys has come. */
  void startInOrder() {
    if (opened()) {
      Set<Key> keys = request.orderedKeys();
      if (request.isWrite()) {
        turn = Optional.of(context.order().write(keys, this));
      } else if (!keys.isEmpty()) {
        turn = Optional.of(context.order().read(request.key(), this));
      }
      if (turn.map(Turn::hasCome).orElse(true)) {
        requestAdmission();
      }
    }
  }

  /** From now on, the call ends by its deadline and with the client. Returns false if it has. */
  private boolean opened() {
    timer.start(context.options().attemptTimeout());
    if (!context.begun(this)) {
      fail(new ClientClosedException("The client is closed."));
    }
    return !ended;
  }

  @Override
  public void turnHasCome() {
    enter(this::requestAdmission);
  }

  @Override
  public void turnNeverComes(QuorateException cause) {
    enter(() -> giveUp(cause));
  }

  private void requestAdmission() {
    boolean isAdmitted = context.admission().admit(this);
    requestedAdmission = true;
    if (isAdmitted) {
      begin();
    } else {
      waited = true;
      timer.arm(left(), () -> giveUp(context.bounds().notAdmitted(deadline)));
    }
  }

  /** Ends the call: what it would do next is not known to be possible. */
  @Override
  public void thrown(Throwable cause) {
    if (ended) {
      LOG.atWarn().setCause(cause).log("A call of this client failed after its end");
      return;
    }
    giveUp(Guarded.failure(cause, progress.write() && (everSent || progress.inDoubt())));
  }

  private void expired() {
    giveUp(
        turn.filter(waiting -> !waiting.hasCome())
            .<QuorateException>map(waiting -> waiting.expired(deadline))
            .orElseGet(() -> context.policy().expired(progress)));
  }

  @Override
  public FlowController.Ticket ticket() {
    return ticket;
  }

  @Override
  public void admitted() {
    try {
      context.loop().execute(() -> enter(this::begin));
    } catch (RuntimeException | Error e) {
      // Its timer ends it: the flow controller is not to be called here.
      LOG.atWarn().setCause(e).log("A call of this client could not begin");
    }
  }

  @Override
  public void topologyLearned() {
    attemptAnywhere();
  }

  private void attemptAnywhere() {
    attempt(Optional.empty(), Optional.empty());
  }

  @Override
  public void topologyRejected(QuorateException cause) {
    giveUp(progress.inDoubt() ? Guarded.failure(cause, true) : cause);
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
      context.loop().execute(() -> enter(this::attemptUnlessBegun));
    }
  }

  private void attemptUnlessBegun() {
    if (current == null) {
      attemptAnywhere();
    }
  }

  private void begin() {
    if (ended) {
      return;
    }
    begun = true;
    observed.admitted();
    if (!context.policy().allowsAttempt(progress, left())) {
      giveUp(waited ? context.bounds().notAdmitted(deadline) : context.policy().expired(progress));
      return;
    }
    attemptAnywhere();
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
      expired();
      return;
    }
    Optional<TopologySnapshot> topology = context.router().topology();
    if (topology.isEmpty()) {
      timer.arm(left, this::topologyTimedOut);
      context.awaitTopology(this);
      return;
    }
    RegionDescriptor region = topology.get().regionOf(request.key());
    try {
      request.requireWithin(topology.get(), region);
    } catch (InvalidRequestException e) {
      giveUp(progress.inDoubt() ? new IndeterminateException(e.getMessage()) : e);
      return;
    }
    if (!request.maySend(context.writes(), region.id(), progress.inDoubt(), whenCapacity)) {
      timer.arm(left, () -> fail(new OverloadedException(windowFull(region))));
      return;
    }
    Duration attemptTimeout = context.options().attemptTimeout();
    Duration timeout = left.compareTo(attemptTimeout) < 0 ? left : attemptTimeout;
    Attempt attempt = attempt(topology.get(), region, target, avoid, timeout);
    current = attempt;
    observed.attempt(region.id(), attempt.node(), !attempted);
    attempted = true;
    timer.arm(timeout, attempt::timedOut);
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
          ? new NodeAttempt(context, this, region, leader.get(), timeout)
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
    return new NodeAttempt(context, this, region, node, timeout);
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
    giveUp(decision.cause());
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
      timer.arm(retry.pause(), () -> attempt(Optional.empty(), avoid));
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
      progress = progress.after(context.topologyFailure());
    }
    expired();
  }

  /** Called when an attempt has ended with a value. */
  void succeed(T value) {
    recordLatency();
    try {
      end();
    } finally {
      future.complete(value);
    }
  }

  /** A response of a node to any attempt, also if the next one has begun. */
  void responded(Attempt attempt, ByteBuf body) {
    if (ended) {
      return;
    }
    attempt.node().ifPresent(node -> observed.responded(attempt.region().id(), node));
    if (current == attempt && !progress.inDoubt() && request.isToBeginAnew(body)) {
      beginAnew();
      return;
    }
    T value;
    try {
      value = request.read(body, attempt.region());
    } catch (QuorateException e) {
      fail(e);
      return;
    }
    succeed(value);
  }

  boolean isWanted(Attempt attempt) {
    return !ended && current == attempt;
  }

  /** Called when the request is written to a connection. */
  RegionRequest<T> sent() {
    everSent = true;
    return request;
  }

  RegionRequest<T> request() {
    return request;
  }

  /**
   * Ends the call, which no response has done. If it leaves a write in doubt, one can go on with
   * that.
   */
  private void giveUp(QuorateException cause) {
    if (ended) {
      return;
    }
    if (cause.mayHaveTakenEffect() || progress.inDoubt()) {
      unsettled = request.unsettled(context);
    }
    fail(unsettled.<QuorateException>map(write -> write.failure(cause)).orElse(cause));
  }

  private void fail(QuorateException cause) {
    if (!ended) {
      try {
        end();
      } finally {
        future.completeExceptionally(cause);
      }
    }
  }

  private void end() {
    ended = true;
    timer.stop();
    if (current != null) {
      enter(current::abandoned);
      current = null;
    }
    turn.ifPresent(own -> enter(() -> unsettled.ifPresentOrElse(own::endInDoubt, own::end)));
    enter(() -> unsettled.ifPresentOrElse(UnsettledWrite::hold, request::ended));
    if (requestedAdmission) {
      context.admission().release(this);
    } else {
      context.admission().exit(ticket);
    }
    context.ended(this);
  }

  @Override
  public Duration left() {
    return deadline.minusNanos(System.nanoTime() - startNanos);
  }
}
