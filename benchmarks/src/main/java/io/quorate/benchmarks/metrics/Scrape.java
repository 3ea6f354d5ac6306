package io.quorate.benchmarks.metrics;

import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.NodePlan;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The metrics of all nodes of a cluster at one time.
 *
 * @param samples the samples of all nodes, in no order
 */
public record Scrape(List<Sample> samples) {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int OK = 200;
  private static final HttpClient HTTP = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

  public Scrape {
    samples = List.copyOf(samples);
  }

  /**
   * Requests the metrics of every node. Blocks.
   *
   * @throws IOException if a node does not respond with metrics
   */
  public static Scrape of(List<NodePlan> nodes) throws IOException, InterruptedException {
    return of(HTTP, nodes, NodePlan::adminAddress);
  }

  /**
   * As {@link #of(List)}, also of a cluster with certificates, as the user who may do everything.
   */
  public static Scrape of(ClusterPlan cluster) throws IOException, InterruptedException {
    HttpClient client = cluster.isSecure() ? cluster.httpClient(TIMEOUT) : HTTP;
    return of(client, cluster.nodes(), cluster::adminAddress);
  }

  private static Scrape of(
      HttpClient client, List<NodePlan> nodes, Function<NodePlan, String> addressOf)
      throws IOException, InterruptedException {
    List<Sample> samples = new ArrayList<>();
    for (NodePlan node : nodes) {
      URI address = URI.create(addressOf.apply(node) + "/metrics");
      HttpResponse<String> response =
          client.send(
              HttpRequest.newBuilder(address).timeout(TIMEOUT).build(),
              HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != OK) {
        throw new IOException(address + " responded with status " + response.statusCode() + ".");
      }
      samples.addAll(PrometheusText.parse(response.body()));
    }
    return new Scrape(samples);
  }

  /** The sum over all nodes of the samples of this name. */
  public double sum(String name) {
    return sum(name, sample -> true);
  }

  /**
   * The sum over all nodes of the samples of this name that match the filter; 0 if there is none.
   */
  public double sum(String name, Predicate<Sample> filter) {
    return samples.stream()
        .filter(sample -> sample.name().equals(name) && filter.test(sample))
        .mapToDouble(Sample::value)
        .sum();
  }
}
