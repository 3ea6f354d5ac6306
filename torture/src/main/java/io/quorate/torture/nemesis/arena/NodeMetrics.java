package io.quorate.torture.nemesis.arena;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** The metrics of a node. Used by one thread. */
public final class NodeMetrics {
  private final HttpClient http;
  private final HttpRequest request;

  NodeMetrics(HttpClient http, String adminAddress, Duration timeout) {
    this.http = http;
    this.request =
        HttpRequest.newBuilder(URI.create(adminAddress + "/metrics")).timeout(timeout).build();
  }

  /**
   * The values of a metric by what comes before them in the line of each; empty if the node does
   * not respond. Blocks.
   */
  public Map<String, Double> values(String metric) throws InterruptedException {
    try {
      return parse(http.send(request, HttpResponse.BodyHandlers.ofString(UTF_8)).body(), metric);
    } catch (IOException e) {
      return Map.of();
    }
  }

  /**
   * @param metric a name, or its beginning
   */
  public static Map<String, Double> parse(String text, String metric) {
    Map<String, Double> values = new TreeMap<>();
    text.lines()
        .filter(line -> line.startsWith(metric))
        .forEach(
            line -> {
              int space = line.lastIndexOf(' ');
              values.put(line.substring(0, space), Double.parseDouble(line.substring(space + 1)));
            });
    return values;
  }
}
