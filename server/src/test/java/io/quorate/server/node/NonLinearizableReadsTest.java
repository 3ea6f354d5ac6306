package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.client.ClientOptions;
import io.quorate.client.ClientOptions.QuorumReads;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateClient;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.server.config.Preset;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Clusters whose reads may miss acknowledged writes. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class NonLinearizableReadsTest extends ClusterFixture {
  private static final byte[] KEY = "k".getBytes(StandardCharsets.UTF_8);

  static Stream<Preset> presets() {
    return Stream.of("quorum-simple", "local").map(name -> Preset.named(name).orElseThrow());
  }

  @Test
  void linearizableReadsAreRejectedAndLocalReadsAreServed() throws IOException {
    start(3, "");
    try (QuorateClient strict = QuorateClient.connect(ClientOptions.of(cluster.seeds()))) {
      strict.put("k", "v");
      assertThatThrownBy(() -> strict.get("k"))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessageContaining("allowNonLinearizableReads");
      assertThatThrownBy(() -> strict.scan(KeyRange.from(Key.wrap(KEY)), 1))
          .isInstanceOf(InvalidRequestException.class);
      assertThat(strict.async().get(KEY, Guarantee.LOCAL).join()).isNotNull();
    }
    for (QuorumReads quorumReads : QuorumReads.values()) {
      ClientOptions options =
          ClientOptions.builder(cluster.seeds())
              .allowNonLinearizableReads(true)
              .quorumReads(quorumReads)
              .build();
      try (QuorateClient permissive = QuorateClient.connect(options)) {
        await().atMost(TIMEOUT).untilAsserted(() -> assertThat(permissive.get("k")).contains("v"));
        // Each read may be served by another replica, which may not have applied the write.
        await()
            .atMost(TIMEOUT)
            .untilAsserted(
                () -> assertThat(permissive.scan(KeyRange.from(Key.wrap(KEY)), 1)).hasSize(1));
      }
    }
  }
}
