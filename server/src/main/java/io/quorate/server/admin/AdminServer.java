package io.quorate.server.admin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Health and metrics over HTTP.
 *
 * <pre>
 * GET /health    200 "ok", or 503 and what is wrong, a line each
 * GET /ready     200 once clients are served, otherwise 503
 * GET /metrics   Prometheus text
 * </pre>
 */
public final class AdminServer implements AutoCloseable {
  private static final int THREADS = 2;
  private static final int WAITING_MAX = 64;
  private static final int BACKLOG = 64;
  private static final int REQUEST_SECONDS_MAX = 10;
  private static final String TEXT = "text/plain; charset=utf-8";

  private final HttpServer server;
  private final ExecutorService threads;

  private AdminServer(HttpServer server, ExecutorService threads) {
    this.server = server;
    this.threads = threads;
  }

  /**
   * Starts to listen.
   *
   * @param listen the address; port 0 for any free one
   * @param health asked on HTTP threads
   * @param ready asked on HTTP threads
   * @throws IOException if it cannot be listened on; nothing is left running
   */
  public static AdminServer open(
      InetSocketAddress listen,
      Supplier<Health> health,
      BooleanSupplier ready,
      PrometheusMeterRegistry metrics)
      throws IOException {
    boundTimeOfRequests();
    HttpServer server = HttpServer.create(listen, BACKLOG);
    ExecutorService threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(WAITING_MAX),
            AdminServer::thread);
    server.setExecutor(threads);
    server.createContext("/health", exchange -> answerHealth(exchange, health.get()));
    server.createContext(
        "/ready",
        exchange ->
            answer(
                exchange,
                ready.getAsBoolean() ? new Page(200, TEXT, "ok\n") : new Page(503, TEXT, "no\n")));
    server.createContext(
        "/metrics",
        exchange -> answer(exchange, new Page(200, "text/plain; version=0.0.4", metrics.scrape())));
    server.createContext(
        "/",
        exchange ->
            answer(exchange, new Page(404, TEXT, "There are /health, /ready and /metrics.\n")));
    server.start();
    return new AdminServer(server, threads);
  }

  /**
   * A client that does not finish its request must not keep a thread. The JDK has no other knob.
   */
  private static void boundTimeOfRequests() {
    for (String property :
        List.of("sun.net.httpserver.maxReqTime", "sun.net.httpserver.maxRspTime")) {
      if (System.getProperty(property) == null) {
        System.setProperty(property, Integer.toString(REQUEST_SECONDS_MAX));
      }
    }
  }

  /** The port that is listened on. */
  public int port() {
    return server.getAddress().getPort();
  }

  /** Stops listening. A second call does nothing. */
  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private record Page(int code, String type, String text) {}

  private static void answerHealth(HttpExchange exchange, Health health) throws IOException {
    answer(
        exchange,
        health.isGood()
            ? new Page(200, TEXT, "ok\n")
            : new Page(503, TEXT, String.join("\n", health.problems()) + "\n"));
  }

  private static void answer(HttpExchange exchange, Page page) throws IOException {
    try (exchange) {
      Page shown =
          exchange.getRequestMethod().equals("GET") || exchange.getRequestMethod().equals("HEAD")
              ? page
              : new Page(405, TEXT, "Only GET is served here.\n");
      byte[] body = shown.text().getBytes(StandardCharsets.UTF_8);
      boolean head = exchange.getRequestMethod().equals("HEAD");
      exchange.getResponseHeaders().set("Content-Type", shown.type());
      exchange.sendResponseHeaders(shown.code(), head ? -1 : body.length);
      if (!head) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "quorate-admin");
    thread.setDaemon(true);
    return thread;
  }
}
