package io.quorate.torture.nemesis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The walks of a node over its bodies, according to its metrics. Used by one thread. */
final class BodyWalks {
  private static final String METRIC = "quorate_storage_bodies_walks_total";
  private static final long POLL_PAUSE_MILLIS = 200;

  /** The first of two walks may have begun before the damage. */
  private static final int CLEAN_WALKS = 2;

  private final HttpClient http;
  private final HttpRequest request;

  BodyWalks(HttpClient http, NodeProcess node, Duration pollTimeout) {
    this.http = http;
    this.request =
        HttpRequest.newBuilder(URI.create(node.plan().adminAddress() + "/metrics"))
            .timeout(pollTimeout)
            .build();
  }

  /**
   * Blocks until a walk of each kind has begun after this call and found or made all bodies intact.
   *
   * @param endNanos when to give up
   * @return whether they have
   */
  boolean awaitClean(long endNanos) throws InterruptedException {
    Map<String, Double> before = Map.of();
    while (System.nanoTime() < endNanos) {
      Map<String, Double> now = counts();
      if (before.isEmpty()) {
        before = now;
      }
      Map<String, Double> first = before;
      if (!first.isEmpty()
          && now.keySet().equals(first.keySet())
          && now.entrySet().stream()
              .allMatch(walk -> walk.getValue() >= first.get(walk.getKey()) + CLEAN_WALKS)) {
        return true;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_PAUSE_MILLIS);
    }
    return false;
  }

  /** The number of clean walks by the line of each kind; empty if the node does not respond. */
  private Map<String, Double> counts() throws InterruptedException {
    try {
      return parse(http.send(request, HttpResponse.BodyHandlers.ofString(UTF_8)).body());
    } catch (IOException e) {
      return Map.of();
    }
  }

  /** The value of each line of the metric, by what comes before it. */
  static Map<String, Double> parse(String metrics) {
    Map<String, Double> values = new TreeMap<>();
    metrics
        .lines()
        .filter(line -> line.startsWith(METRIC))
        .forEach(
            line -> {
              int space = line.lastIndexOf(' ');
              values.put(line.substring(0, space), Double.parseDouble(line.substring(space + 1)));
            });
    return values;
  }
}
