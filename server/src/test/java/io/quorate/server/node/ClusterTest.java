package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.ClientOptions.QuorumReads;
import io.quorate.client.NodeReport;
import io.quorate.client.QuorateClient;
import io.quorate.client.wire.v1.Region;
import io.quorate.consensus.ConsensusEngineProvider;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What a cluster answers, under each preset, through the real client. */
@ParameterizedClass(name = "{0}")
@MethodSource("io.quorate.server.testing.Presets#linearizable")
class ClusterTest extends ClusterFixture {
  @Test
  void threeNodesServeRegionsAndSpreadTheirLeaders() throws IOException {
    start(3, "cluster.split-keys = [ \"h\", \"p\" ]");
    try (QuorateClient client = client()) {
      for (String key : List.of("apple", "kiwi", "zebra")) {
        client.put(key, key + "!");
      }
      for (String key : List.of("apple", "kiwi", "zebra")) {
        assertThat(client.get(key)).contains(key + "!");
      }
      assertThat(client.incrementAndGet("kiwi-count", 5)).isEqualTo(5);
      byte[] counter = "kiwi-count".getBytes(StandardCharsets.UTF_8);
      assertThat(client.incrementAndGet(counter, 2, true)).isEqualTo(7);
      assertThat(client.async().scan(new byte[0], 10).join()).hasSize(4);

      String[] expected =
          hasLeaders() ? new String[] {"n1", "n2", "n3"} : new String[] {"", "", ""};
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(leaders(client)).containsExactlyInAnyOrder(expected));
    }
  }

  private boolean hasLeaders() {
    ConsensusEngineProvider engine = Engines.available().get(preset.knobs().engine());
    return engine.capabilities(cluster.config(0).engine()).hasLeader();
  }

  private static List<String> leaders(QuorateClient client) {
    return client.async().status().join().nodes().stream()
        .map(NodeReport::status)
        .flatMap(status -> status.stream())
        .limit(1)
        .flatMap(status -> status.getTopology().getRegionsList().stream())
        .map(Region::getLeader)
        .toList();
  }

  @Test
  void everyReplicaAndBothFormsOfReadsSeeWhatWasWrittenBefore() throws IOException {
    start(3, "");
    List<QuorateClient> clients = new ArrayList<>();
    try {
      for (int i = 0; i < 3; i++) {
        for (QuorumReads form : QuorumReads.values()) {
          // A client prefers one of the replicas, by chance.
          clients.add(
              QuorateClient.connect(
                  ClientOptions.builder(cluster.seeds())
                      .deadline(PATIENCE)
                      .quorumReads(form)
                      .build()));
        }
      }
      for (int i = 0; i < 60; i++) {
        String value = Integer.toString(i);
        clients.get(i % clients.size()).put("shared", value);
        for (QuorateClient client : clients) {
          assertThat(client.get("shared")).contains(value);
        }
      }
    } finally {
      clients.forEach(QuorateClient::close);
    }
  }
}
