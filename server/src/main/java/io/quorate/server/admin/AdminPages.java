package io.quorate.server.admin;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The pages of the admin port. Any thread; blocks while the content of a page is collected. */
record AdminPages(Supplier<Health> health, BooleanSupplier ready, PrometheusMeterRegistry metrics) {

  /**
   * One response.
   *
   * @param code the HTTP status code
   * @param type the content type
   */
  record Page(int code, String type, String text) {
    private static final String TEXT = "text/plain; charset=utf-8";

    static Page of(int code, String text) {
      return new Page(code, TEXT, text + "\n");
    }
  }

  /**
   * @param path the path of the request, without a query
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
