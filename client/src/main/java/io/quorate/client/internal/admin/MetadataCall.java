package io.quorate.client.internal.admin;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.quorate.client.QuorateException;
import io.quorate.client.UnavailableException;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.client.internal.call.ClientContext;
import io.quorate.client.internal.connection.AdminCall;
import io.quorate.client.internal.connection.Guarded;
import io.quorate.common.Failpoint;
import io.quorate.common.Failures;
import io.quorate.common.Sentences;
import io.quorate.model.GroupId;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.StatusRequest;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * A request about the cluster, to the node that serves the region of its metadata. It is repeated
 * while there is no such node or the request cannot be served yet; repeating it has no further
 * effect. Used by the event loop only.
 */
final class MetadataCall<T extends MessageLite> implements Guarded {
  private static final Failpoint ATTEMPT = Failpoint.named("client.metadata.attempt");

  private static final GroupId METADATA = new GroupId(0);
  private static final long PAUSE_MILLIS = 200;

  /** After the deadline, so that a request that ends with it can say why. */
  private static final long GRACE_MILLIS = 100;

  /** In a message. */
  private static final int PROBLEMS_MAX = 3;

  private final ClientContext context;
  private final Opcode opcode;
  private final MessageLite request;
  private final Parser<T> parser;
  private final Function<T, Optional<QuorateException>> refusal;
  private final long deadlineNanos;
  private final CompletableFuture<T> response = new CompletableFuture<>();

  /**
   * How to find the node. The whole state of nodes has the nodes that this client does not know.
   */
  private StatusRequest query;

  /** The number of attempts before, each of which waits longer for slow nodes than the last. */
  private int attempts;

  /** The number of requests that may have been received. */
  private int requests;

  /** Why the attempt before failed: the last one may have had no time. */
  private Optional<Throwable> earlierFailure = Optional.empty();

  private MetadataCall(
      ClientContext context,
      Opcode opcode,
      MessageLite request,
      Parser<T> parser,
      Function<T, Optional<QuorateException>> refusal,
      Duration timeout) {
    this.context = context;
    this.opcode = opcode;
    this.request = request;
    this.parser = parser;
    this.refusal = refusal;
    this.deadlineNanos = System.nanoTime() + timeout.toNanos();
    this.query =
        context.router().topology().isPresent()
            ? StatusRequest.newBuilder().setRegion(METADATA.value()).build()
            : StatusRequest.getDefaultInstance();
  }

  static <T extends MessageLite> CompletableFuture<T> of(
      ClientContext context,
      Opcode opcode,
      MessageLite request,
      Parser<T> parser,
      Duration timeout) {
    return of(context, opcode, request, parser, received -> Optional.empty(), timeout);
  }

  /**
   * As the method above.
   *
   * @param refusal the failure of a call to whose only request this is the response; one that was
   *     repeated may find what it did before
   */
  static <T extends MessageLite> CompletableFuture<T> of(
      ClientContext context,
      Opcode opcode,
      MessageLite request,
      Parser<T> parser,
      Function<T, Optional<QuorateException>> refusal,
      Duration timeout) {
    MetadataCall<T> call = new MetadataCall<>(context, opcode, request, parser, refusal, timeout);
    long nanos = timeout.toNanos() + TimeUnit.MILLISECONDS.toNanos(GRACE_MILLIS);
    ScheduledFuture<?> timer = call.enterAfter(context.loop(), nanos, call::expired);
    call.response.whenComplete((done, failure) -> timer.cancel(false));
    call.enter(call::attempt);
    return call.response;
  }

  private void expired() {
    response.completeExceptionally(
        earlierFailure.orElseGet(
            () -> new UnavailableException("The request was not served before its deadline.")));
  }

  @Override
  public void thrown(Throwable cause) {
    response.completeExceptionally(Guarded.failure(cause, false));
  }

  private void attempt() {
    ATTEMPT.passed(opcode);
    Duration most = Duration.ofMillis(Math.max(1, remainingMillis()));
    Duration least = context.options().attemptTimeout().multipliedBy(1L << Math.min(attempts++, 8));
    ClusterStatusCollector.of(context, query, least, most, ClusterStatus::isReachable)
        .thenCompose(this::send)
        .whenComplete(
            (received, failure) ->
                enter(
                    () -> {
                      if (failure == null) {
                        received(received);
                      } else {
                        failed(Failures.unwrap(failure));
                      }
                    }));
  }

  private void received(T received) {
    Optional<QuorateException> refused = requests == 1 ? refusal.apply(received) : Optional.empty();
    if (refused.isPresent()) {
      response.completeExceptionally(refused.get());
    } else {
      response.complete(received);
    }
  }

  private void failed(Throwable cause) {
    if (!(cause instanceof UnavailableException)) {
      response.completeExceptionally(cause);
    } else if (remainingMillis() > 0) {
      earlierFailure = Optional.of(cause);
      query = StatusRequest.getDefaultInstance();
      enterAfter(context.loop(), TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS), this::attempt);
    } else {
      response.completeExceptionally(earlierFailure.orElse(cause));
    }
  }

  private CompletableFuture<T> send(ClusterStatus status) {
    Optional<NodeAddress> node = serving(status);
    node.ifPresent(present -> requests++);
    return node.isPresent()
        ? AdminCall.of(
            context.pool(node.get()),
            opcode,
            request,
            parser,
            context.loop(),
            Duration.ofMillis(Math.max(1, remainingMillis())))
        : CompletableFuture.failedFuture(new UnavailableException(withoutServing(status)));
  }

  private static String withoutServing(ClusterStatus status) {
    return status.isReachable()
        ? "No node that responded serves region 0, which has the topology of the cluster; try again."
        : status.nodes().stream()
            .flatMap(node -> node.problem().stream())
            .limit(PROBLEMS_MAX)
            .map(Sentences::phrase)
            .collect(Collectors.joining("; ", "No node responded: ", "."));
  }

  private long remainingMillis() {
    return TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
  }

  /** Of several nodes, the one with the highest consensus epoch: another may have been deposed. */
  private static Optional<NodeAddress> serving(ClusterStatus status) {
    return status.nodes().stream()
        .filter(node -> node.replica(METADATA).filter(ReplicaState::serving).isPresent())
        .max(
            Comparator.comparingLong(node -> node.replica(METADATA).orElseThrow().consensusEpoch()))
        .map(NodeReport::address);
  }
}
