package io.quorate.server.admin;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The pages of the admin port. Any thread. */
final class AdminPages {
  private final AdminContext context;
  private final ClusterPages cluster;
  private final NodePages nodes;
  private final boolean isSecured;

  /**
   * @param isSecured whether those who have no right to see the status may see health
   */
  AdminPages(AdminContext context, ClusterPages cluster, NodePages nodes, boolean isSecured) {
    this.context = context;
    this.cluster = cluster;
    this.nodes = nodes;
    this.isSecured = isSecured;
  }

  /**
   * Returns a page, now or later. Blocks while the health of the node is determined, and not while
   * other nodes are queried or changed.
   */
  CompletionStage<AdminPage> page(AdminRequest request) {
    if (NodePages.has(request.path())) {
      return nodes.page(request);
    }
    if (request.isChange()) {
      return CompletableFuture.completedFuture(AdminPage.of(405, "Only GET is served here."));
    }
    return switch (request.path()) {
      case "/api/cluster" -> cluster.status();
      case "/api/traffic" -> cluster.traffic();
      default -> CompletableFuture.completedFuture(local(request.path()));
    };
  }

  private AdminPage local(String path) {
    return switch (path) {
      case "/health" -> health(context.health().get());
      case "/ready" ->
          context.ready().getAsBoolean() ? AdminPage.of(200, "ok") : AdminPage.of(503, "no");
      case "/metrics" -> AdminPage.of("text/plain; version=0.0.4", context.metrics().scrape());
      default -> ConsoleFiles.page(path).orElseGet(AdminPages::notFound);
    };
  }

  private static AdminPage notFound() {
    return AdminPage.of(
        404,
        "There are / (the console), /api/cluster, /api/traffic, /api/nodes/changes, /health, /ready and /metrics.");
  }

  private AdminPage health(Health health) {
    return health.isGood()
        ? AdminPage.of(200, "ok")
        : AdminPage.of(503, String.join("\n", isSecured ? health.outline() : health.problems()));
  }
}
