package io.quorate.server.admin;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.common.Failures;
import io.quorate.model.NodeId;
import io.quorate.server.cli.format.JsonText;
import io.quorate.server.cli.status.ClusterJson;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The state and the traffic of the cluster as JSON. However many clients request them, the nodes
 * are queried, and the pages created, at most once a second. Any thread; does not block.
 */
final class ClusterPages {
  private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final NodeId self;
  private final Supplier<? extends CompletionStage<ClusterStatus>> cluster;
  private final Executor threads;
  private Optional<CompletableFuture<Pages>> latest = Optional.empty();
  private long latestNanos;

  private record Pages(AdminPage status, AdminPage traffic) {}

  /**
   * @param threads create the pages
   */
  ClusterPages(
      NodeId self, Supplier<? extends CompletionStage<ClusterStatus>> cluster, Executor threads) {
    this.self = self;
    this.cluster = cluster;
    this.threads = threads;
  }

  /** As {@link ClusterJson} describes it. */
  CompletionStage<AdminPage> status() {
    return page(Pages::status);
  }

  /** As {@link TrafficTimeline} describes it. */
  CompletionStage<AdminPage> traffic() {
    return page(Pages::traffic);
  }

  private CompletionStage<AdminPage> page(Function<Pages, AdminPage> which) {
    return pages()
        .handle(
            (pages, failure) ->
                failure == null
                    ? which.apply(pages)
                    : AdminPage.of(
                        503,
                        "The state of the cluster cannot be collected: "
                            + Failures.unwrap(failure).getMessage()));
  }

  private synchronized CompletableFuture<Pages> pages() {
    return latest
        .filter(this::isCurrent)
        .orElseGet(
            () -> {
              CompletableFuture<Pages> next =
                  cluster.get().thenApplyAsync(this::create, threads).toCompletableFuture();
              latestNanos = System.nanoTime();
              latest = Optional.of(next);
              return next;
            });
  }

  private boolean isCurrent(CompletableFuture<Pages> pages) {
    boolean isRecent = System.nanoTime() - latestNanos < KEPT_NANOS;
    return !pages.isDone() || (isRecent && !pages.isCompletedExceptionally());
  }

  private Pages create(ClusterStatus status) {
    return new Pages(
        AdminPage.json(JsonText.line(ClusterJson.of(status))),
        AdminPage.json(
            JsonText.line(TrafficTimeline.of(self, status, System.currentTimeMillis()))));
  }
}
