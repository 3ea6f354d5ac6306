package io.quorate.benchmarks.metrics;

import io.quorate.server.dev.NodePlan;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The metrics of all nodes of a cluster at one moment.
 *
 * @param samples of every node, in no order
 */
public record Scrape(List<Sample> samples) {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final int OK = 200;
  private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(PATIENCE).build();

  public Scrape {
    samples = List.copyOf(samples);
  }

  /**
   * Asks every node. Blocks.
   *
   * @throws IOException if a node does not answer with metrics
   */
  public static Scrape of(List<NodePlan> nodes) throws IOException, InterruptedException {
    List<Sample> samples = new ArrayList<>();
    for (NodePlan node : nodes) {
      URI address = URI.create(node.adminAddress() + "/metrics");
      HttpResponse<String> answer =
          HTTP.send(
              HttpRequest.newBuilder(address).timeout(PATIENCE).build(),
              HttpResponse.BodyHandlers.ofString());
      if (answer.statusCode() != OK) {
        throw new IOException(address + " answered with status " + answer.statusCode() + ".");
      }
      samples.addAll(PrometheusText.parse(answer.body()));
    }
    return new Scrape(samples);
  }

  /** The sum over all nodes of the samples of this name. */
  public double sum(String name) {
    return sum(name, sample -> true);
  }

  /** The same, of those samples that are meant; 0 if there is none. */
  public double sum(String name, Predicate<Sample> meant) {
    return samples.stream()
        .filter(sample -> sample.name().equals(name) && meant.test(sample))
        .mapToDouble(Sample::value)
        .sum();
  }
}
