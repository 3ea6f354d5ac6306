package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.QuorateClient;
import io.quorate.common.DurableFiles;
import io.quorate.server.config.Preset;
import io.quorate.server.config.StartupException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** One of the directories below that of a node is an older copy. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
class OlderPartTest extends ClusterFixture {
  static Stream<Preset> presets() {
    return presets("raft", "acqr");
  }

  /** The files of an older log are consistent, and the rows may be behind the log. */
  @Test
  void itIsRefusedByName() throws IOException {
    start(3, "cluster.regions = 2");
    try (QuorateClient client = client()) {
      client.put("k", "before");
      nodes.get(2).close();
      Path copy = data(2).resolveSibling("copy");
      DamagedFiles.copy(data(2), copy);
      nodes.set(2, start(2));
      awaitServing(nodes.get(2));
      nodes.get(0).close();
      client.put("k", "acknowledged with the third node");
      nodes.get(2).close();
      for (String part : List.of("consensus", "storage")) {
        Path present = data(2).resolve(part);
        Path kept = data(2).resolve(part + ".kept");
        Files.move(present, kept);
        DamagedFiles.copy(copy.resolve(part), present);
        assertThatThrownBy(() -> start(2))
            .isInstanceOf(StartupException.class)
            .hasMessageContaining("Directory " + present + " is an older copy than")
            .hasMessageContaining("node replace");
        DurableFiles.deleteTree(present);
        Files.move(kept, present);
      }
      nodes.set(2, start(2));
      assertThat(client.get("k")).contains("acknowledged with the third node");
    }
  }
}
