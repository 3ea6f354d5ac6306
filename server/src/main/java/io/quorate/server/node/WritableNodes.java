package io.quorate.server.node;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The nodes that serve and accept writes, as they have reported: those that may receive
 * leaderships. Any thread; does not block. Nodes are requested to report only while this is used,
 * with one request in progress.
 */
final class WritableNodes {
  /** How old a report may be that decides. */
  private static final Duration AGE_MAX = Duration.ofSeconds(2);

  private static final Duration INTERVAL = Duration.ofMillis(300);

  /** How long a caller that waits does so: a node that hangs delays the reports of all. */
  private static final Duration WAIT_MAX = Duration.ofMillis(500);

  /** What was reported at a time. */
  private record Report(Set<NodeId> nodes, long nanos) {}

  private final Supplier<? extends CompletionStage<ClusterStatus>> reports;
  private final LongSupplier nanoClock;

  private volatile Optional<Report> last = Optional.empty();

  /** Guarded by this, as is the time when it was sent. Never fails. */
  private CompletableFuture<Void> request = CompletableFuture.completedFuture(null);

  private Optional<Long> requestedNanos = Optional.empty();

  /**
   * @param reports requests the states of all nodes; must not block
   * @param nanoClock as {@link System#nanoTime}
   */
  WritableNodes(
      Supplier<? extends CompletionStage<ClusterStatus>> reports, LongSupplier nanoClock) {
    this.reports = reports;
    this.nanoClock = nanoClock;
  }

  /** What was reported lately; empty if nothing was. Requests new reports if they are due. */
  Set<NodeId> known() {
    request();
    return recent();
  }

  /**
   * What the nodes report now, or did lately if they do not respond within half a second.
   *
   * @return never fails
   */
  CompletableFuture<Set<NodeId>> refreshed() {
    return request()
        .copy()
        .completeOnTimeout(null, WAIT_MAX.toNanos(), TimeUnit.NANOSECONDS)
        .thenApply(done -> recent());
  }

  private Set<NodeId> recent() {
    return last.filter(report -> nanoClock.getAsLong() - report.nanos() < AGE_MAX.toNanos())
        .map(Report::nodes)
        .orElse(Set.of());
  }

  private synchronized CompletableFuture<Void> request() {
    long now = nanoClock.getAsLong();
    boolean isDue = requestedNanos.isEmpty() || now - requestedNanos.get() >= INTERVAL.toNanos();
    if (request.isDone() && isDue) {
      requestedNanos = Optional.of(now);
      request =
          reports
              .get()
              .toCompletableFuture()
              .handle(
                  (status, failure) -> {
                    if (failure == null) {
                      last = Optional.of(new Report(writable(status), nanoClock.getAsLong()));
                    }
                    return null;
                  });
    }
    return request;
  }

  private static Set<NodeId> writable(ClusterStatus status) {
    return status.nodes().stream()
        .map(NodeReport::state)
        .flatMap(Optional::stream)
        .filter(NodeState::acceptsWrites)
        .map(NodeState::id)
        .collect(Collectors.toSet());
  }
}
