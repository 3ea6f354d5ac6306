package io.quorate.server.admin;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** What the admin port serves. Any thread; a page takes as long as it takes to collect it. */
record AdminPages(Supplier<Health> health, BooleanSupplier ready, PrometheusMeterRegistry metrics) {

  /**
   * One response.
   *
   * @param code of HTTP
   * @param type of the text
   */
  record Page(int code, String type, String text) {
    private static final String TEXT = "text/plain; charset=utf-8";

    static Page of(int code, String text) {
      return new Page(code, TEXT, text + "\n");
    }
  }

  /**
   * @param path without a query
   */
  Page page(String path) {
    return switch (path) {
      case "/health" -> health(health.get());
      case "/ready" -> ready.getAsBoolean() ? Page.of(200, "ok") : Page.of(503, "no");
      case "/metrics" -> new Page(200, "text/plain; version=0.0.4", metrics.scrape());
      default -> Page.of(404, "There are /health, /ready and /metrics.");
    };
  }

  private static Page health(Health health) {
    return health.isGood()
        ? Page.of(200, "ok")
        : Page.of(503, String.join("\n", health.problems()));
  }
}
