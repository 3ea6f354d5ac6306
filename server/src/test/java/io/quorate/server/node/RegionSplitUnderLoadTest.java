package io.quorate.server.node;

import static io.quorate.server.node.CountingClients.KEYS;
import static io.quorate.server.node.CountingClients.assertCounters;
import static io.quorate.server.node.CountingClients.key;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.QuorateClient;
import io.quorate.server.cli.ClientCommands;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.config.Preset;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Regions split on request while clients count, which shows what took effect twice or never. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class RegionSplitUnderLoadTest extends ClusterFixture {
  private static final int SPLITS = 6;

  static Stream<Preset> presets() {
    return presets("raft", "acqr buc quorum");
  }

  @Test
  void regionsSplitWhileClientsWriteAndRead() throws IOException {
    start(3, "");
    try (QuorateClient client = client()) {
      CountingClients counting = CountingClients.start(this::client);
      int width = KEYS / SPLITS;
      for (int i = 1; i < SPLITS; i++) {
        assertThat(split(key(i * width)))
            .isEqualTo("Region %d has the keys from %s on.\n".formatted(i + 1, key(i * width)));
      }
      long[] sums = counting.stop();
      assertCounters(client, sums);

      stop();
      for (int i = 0; i < nodes.size(); i++) {
        nodes.set(i, start(i));
      }
      assertCounters(client, sums);
      assertThat(split(key(1))).isEqualTo("Region 7 has the keys from k01 on.\n");
      assertThat(split(key(1))).as("again").isEqualTo("Region 7 has the keys from k01 on.\n");
      assertCounters(client, sums);
      assertThat(client.incrementAndGet(key(1), 1)).isEqualTo(sums[1] + 1);
    }
  }

  /** Executes the command line as it is documented in docs/operations.md. */
  private String split(String key) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(out, true, UTF_8);
    Terminal terminal = new Terminal(InputStream.nullInputStream(), to, to, false);
    ClientCommands.named("region", terminal)
        .orElseThrow()
        .execute("split", key, "--timeout=1m", "--at=" + cluster.seeds());
    return out.toString(UTF_8);
  }
}
