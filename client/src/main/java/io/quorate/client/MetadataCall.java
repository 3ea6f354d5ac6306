package io.quorate.client;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.StatusRequest;
import io.quorate.common.Failures;
import io.quorate.common.Sentences;
import io.quorate.consensus.GroupId;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * A request about the cluster, to the node that serves the region of its metadata. It is repeated
 * while there is no such node or the request cannot be served yet; repeating it has no further
 * effect. Used by the event loop only.
 */
final class MetadataCall<T extends MessageLite> {
  private static final GroupId METADATA = new GroupId(0);
  private static final long PAUSE_MILLIS = 200;

  /** In a message. */
  private static final int PROBLEMS_MAX = 3;

  private final ClientContext context;
  private final Opcode opcode;
  private final MessageLite request;
  private final Parser<T> parser;
  private final long deadlineNanos;
  private final CompletableFuture<T> response = new CompletableFuture<>();

  /**
   * How to find the node. The whole state of nodes has the nodes that this client does not know.
   */
  private StatusRequest query;

  /** The number of attempts before, each of which waits longer for slow nodes than the last. */
  private int attempts;

  /** Why the attempt before failed: the last one may have had no time. */
  private Optional<Throwable> earlierFailure = Optional.empty();

  private MetadataCall(
      ClientContext context,
      Opcode opcode,
      MessageLite request,
      Parser<T> parser,
      Duration timeout) {
    this.context = context;
    this.opcode = opcode;
    this.request = request;
    this.parser = parser;
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
    MetadataCall<T> call = new MetadataCall<>(context, opcode, request, parser, timeout);
    call.attempt();
    return call.response;
  }

  private void attempt() {
    Duration most = Duration.ofMillis(Math.max(1, remainingMillis()));
    Duration least = context.options().attemptTimeout().multipliedBy(1L << Math.min(attempts++, 8));
    ClusterStatusCollector.of(context, query, least, most, ClusterStatus::isReachable)
        .thenCompose(this::send)
        .whenComplete(
            (received, failure) -> {
              if (failure == null) {
                response.complete(received);
              } else {
                failed(Failures.unwrap(failure));
              }
            });
  }

  private void failed(Throwable cause) {
    if (!(cause instanceof UnavailableException)) {
      response.completeExceptionally(cause);
    } else if (remainingMillis() > 0) {
      earlierFailure = Optional.of(cause);
      query = StatusRequest.getDefaultInstance();
      context.loop().schedule(this::attempt, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    } else {
      response.completeExceptionally(earlierFailure.orElse(cause));
    }
  }

  private CompletableFuture<T> send(ClusterStatus status) {
    Optional<NodeAddress> node = serving(status);
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
