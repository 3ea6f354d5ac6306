package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.cli.ClientCommands;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.config.Preset;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** A replica that applies nothing, in a region with a single write. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class StuckReplicaTest extends ClusterFixture {
  private static final GroupId REGION = new GroupId(1);

  static Stream<Preset> presets() {
    return presets("raft", "buc");
  }

  private HttpResponse<String> get(int node, String path) throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + cluster.adminPort(node) + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  /** The first line of the status, and its exit code. */
  private String check() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(out, true, StandardCharsets.UTF_8);
    Terminal terminal = new Terminal(InputStream.nullInputStream(), to, to, false);
    int code =
        ClientCommands.named("status", terminal)
            .orElseThrow()
            .execute("--check", "--at=" + cluster.seeds());
    return code + " " + out.toString(StandardCharsets.UTF_8).strip();
  }

  @Test
  void itIsInTheStatusTheHealthAndTheMetricsUntilItApplies() throws Exception {
    start(3, "cluster.regions = 2");
    try (QuorateClient client = client()) {
      client.put("a", "1");
      await().atMost(TIMEOUT).until(() -> isApplied(client.status(), REGION));
      NodeId name = HeldApply.follower(client.status(), REGION);
      int stuck = name.value().equals("n3") ? 2 : 1;
      String problem = "node " + name + " has been behind with region 1 for ";
      HeldApply held = new HeldApply(cluster.config(0).cluster().id(), REGION, name);
      try {
        client.put("a", "2");
        theReplicaIsReported(stuck, problem);
      } finally {
        held.close();
      }
      await().atMost(TIMEOUT).until(() -> check().equals("0 HEALTHY"));
      assertThat(get(stuck, "/health").statusCode()).isEqualTo(200);
    }
  }

  private void theReplicaIsReported(int stuck, String problem) throws Exception {
    // Both are UNAVAILABLE for a moment while a leadership moves.
    await()
        .atMost(TIMEOUT)
        .until(() -> get(stuck, "/health").body().contains("this replica has been behind for"));
    assertThat(get(stuck, "/health").statusCode()).isEqualTo(503);
    await()
        .atMost(TIMEOUT)
        .untilAsserted(() -> assertThat(check()).startsWith("1 DEGRADED: ").contains(problem));
    assertThat(get(stuck, "/api/cluster").body())
        .containsPattern("\"behindMs\": ?\\d{5}")
        .contains(problem);
    assertThat(get(stuck, "/metrics").body())
        .containsPattern("quorate_region_behind_seconds\\{[^}]*region=\"1\"} [1-9]");
    await("another node, which is well")
        .atMost(TIMEOUT)
        .until(() -> get(0, "/health").body().startsWith("ok"));
  }
}
