package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.ClientOptions;
import io.quorate.client.KeyValue;
import io.quorate.client.QuorateClient;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The server with an engine of which it knows nothing but that it is on the class path. */
class ThirdEngineTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path directory;
  private final List<QuorateNode> nodes = new ArrayList<>();
  private final List<String> failures = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() {
    nodes.forEach(QuorateNode::close);
    assertThat(failures).isEmpty();
  }

  @Test
  void anEngineOnTheClassPathServes() throws IOException {
    TestCluster cluster =
        new TestCluster(directory, 3, "engine = example\nreads = consensus\ncluster.regions = 2");
    for (int i = 0; i < 3; i++) {
      nodes.add(
          QuorateNode.start(
              cluster.config(i),
              Engines.available().get("example"),
              fatal -> failures.add(fatal.getMessage())));
    }
    nodes.forEach(ClusterFixture::awaitServing);
    ClientOptions options =
        ClientOptions.builder("127.0.0.1:" + cluster.clientPort(0)).deadline(PATIENCE).build();
    try (QuorateClient client = QuorateClient.connect(options)) {
      IntStream.range(0, 100).forEach(i -> client.put("key " + i, "value " + i));
      assertThat(client.incrementAndGet("n", 3)).isEqualTo(3);
      assertThat(client.get("key 42")).isEqualTo(Optional.of("value 42"));
      nodes.remove(2).close();
      client.put("with two of three", "nodes");
      assertThat(client.scan(KeyRange.from(Key.utf8("key 0")), 1000))
          .extracting(KeyValue::keyText)
          .contains("key 0", "key 99", "n", "with two of three");
    }
  }
}
