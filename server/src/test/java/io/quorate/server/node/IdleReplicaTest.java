package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What the last write of a region leaves is not taken for a replica that is behind. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class IdleReplicaTest extends ClusterFixture {
  private static final int NODES = 3;
  private static final int REGIONS = 3;

  static Stream<Preset> presets() {
    return presets("raft acqr", "buc craft rabia quorum");
  }

  /** The times by which the replicas of all nodes are behind, as they are in the metrics. */
  private List<Double> behind() throws IOException, InterruptedException {
    List<Double> times = new ArrayList<>();
    for (int node = 0; node < NODES; node++) {
      URI uri = URI.create("http://127.0.0.1:" + cluster.adminPort(node) + "/metrics");
      HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofLines())
          .body()
          .filter(line -> line.startsWith("quorate_region_behind_seconds{"))
          .forEach(line -> times.add(Double.valueOf(line.substring(line.lastIndexOf(' ') + 1))));
    }
    return times;
  }

  @Test
  void aReplicaThatHasAppliedEverythingIsNotBehind() throws IOException {
    start(NODES, "cluster.split-keys = [m]");
    try (QuorateClient client = client()) {
      for (int i = 0; i < 10; i++) {
        client.put("a" + i, "1");
        client.put("z" + i, "1");
      }
    }
    await()
        .atMost(TIMEOUT)
        .untilAsserted(() -> assertThat(behind()).hasSize(NODES * REGIONS).containsOnly(0.0));
  }
}
