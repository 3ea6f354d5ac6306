package io.quorate.server.node;

import static io.quorate.server.node.CountingClients.KEYS;
import static io.quorate.server.node.CountingClients.assertCounters;
import static io.quorate.server.node.CountingClients.key;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.client.QuorateClient;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Regions split and are merged again while clients count, which shows what took effect twice or
 * never.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class RegionMergeUnderLoadTest extends ClusterFixture {
  private static final int REGIONS = 4;

  static Stream<Preset> presets() {
    return presets("raft", "acqr buc quorum");
  }

  @Test
  @Tag("slow")
  void regionsAreMergedWhileClientsWriteAndRead() throws IOException {
    start(3, "");
    try (QuorateClient client = client()) {
      CountingClients counting = CountingClients.start(this::client);
      int width = KEYS / REGIONS;
      for (int round = 0; round < 2; round++) {
        for (int i = 1; i < REGIONS; i++) {
          awaitServed(client, client.splitRegion(key(i * width).getBytes(UTF_8)));
        }
        for (int i = 1; i < REGIONS; i++) {
          merge(client, key(i * width));
        }
      }
      long[] sums = counting.stop();
      assertCounters(client, sums);

      stop();
      for (int i = 0; i < nodes.size(); i++) {
        nodes.set(i, start(i));
      }
      assertCounters(client, sums);
      assertThat(client.incrementAndGet(key(1), 1)).isEqualTo(sums[1] + 1);
    }
  }

  private static void merge(QuorateClient client, String at) {
    client.mergeRegion(at.getBytes(UTF_8));
    await()
        .atMost(TIMEOUT)
        .until(
            () ->
                client.status().nodes().stream()
                    .allMatch(
                        node ->
                            node.state().orElseThrow().regions().stream()
                                .noneMatch(
                                    region -> region.range().start().toString().contains(at))));
  }
}
