package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.server.node.join.JoinState;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeStartupTest {
  @TempDir private Path directory;

  /** Other nodes request the state of one that starts as soon as its port is open. */
  @Test
  void theStateOfTheStartIsKnownBeforeItBegins() throws IOException {
    try (MemoryNode node = new MemoryNode(directory)) {
      assertThat(startup(node).state()).isEqualTo(JoinState.NEW);
      assertThat(startup(node).isFounding()).isTrue();
      node.replicas.join(new UUID(0, 1));
      assertThat(startup(node).state()).isEqualTo(JoinState.JOINED);
      assertThat(startup(node).isFounding()).isFalse();
    }
  }

  private NodeStartup startup(MemoryNode node) throws IOException {
    return new NodeStartup(
        new TestCluster(directory, 1, "preset = raft").config(0, 1).cluster(),
        new UUID(1, 1),
        node.topology,
        node.replicas,
        new ServingState(),
        null,
        null,
        null,
        false,
        founding -> {});
  }
}
