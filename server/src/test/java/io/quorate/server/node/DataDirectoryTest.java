package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.NodeId;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.StartRefusal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
  private static final ClusterId CLUSTER = new ClusterId("c1");
  private static final NodeId NODE = new NodeId("n1");

  @TempDir private Path parent;

  private Path root() {
    return parent.resolve("a").resolve("data");
  }

  private void open(ClusterId cluster, NodeId node) throws IOException {
    try (DataDirectory data = DataDirectory.open(root(), cluster, node)) {
      assertThat(data.storage()).isDirectory();
      assertThat(data.consensus()).isDirectory();
      assertThat(data.freeBytes()).isPositive();
    }
  }

  private void assertRefused(ClusterId cluster, NodeId node, String... parts) {
    assertThatThrownBy(() -> open(cluster, node))
        .isInstanceOf(StartRefusal.class)
        .hasMessageContainingAll(parts)
        .hasMessageContaining(root().toString())
        .message()
        .endsWith(".");
  }

  @Test
  void belongsToOneNodeOfOneCluster() throws IOException {
    open(CLUSTER, NODE);
    open(CLUSTER, NODE);

    assertRefused(new ClusterId("c2"), NODE, "belongs to cluster \"c1\"", "cluster.id is \"c2\"");
    assertRefused(CLUSTER, new NodeId("n2"), "belongs to node \"n1\"", "node.id is \"n2\"");
  }

  @Test
  void anotherFormatIsRefused() throws IOException {
    open(CLUSTER, NODE);
    Path identity = root().resolve("identity");
    Files.writeString(identity, Files.readString(identity).replace("format=2", "format=7"));

    assertRefused(CLUSTER, NODE, "format \"7\"");
  }

  @Test
  void oneProcessAtATime() throws IOException {
    try (DataDirectory held = DataDirectory.open(root(), CLUSTER, NODE)) {
      assertThat(held.storage()).exists();
      assertRefused(CLUSTER, NODE, "in use");
    }
    open(CLUSTER, NODE);
  }

  @Test
  void filesOfSomebodyElseAreLeftAlone() throws IOException {
    Files.createDirectories(root());
    Files.writeString(root().resolve("diary.txt"), "dear diary");

    assertRefused(CLUSTER, NODE, "holds files but no identity");
    assertThat(root().resolve("identity")).doesNotExist();
  }

  @Test
  void anInterruptedFirstStartIsRepeated() throws IOException {
    Files.createDirectories(root());
    Files.writeString(root().resolve("identity.draft"), "half");
    Files.writeString(root().resolve("lock"), "");

    open(CLUSTER, NODE);

    assertThat(root().resolve("identity")).exists();
  }

  @Test
  void aFileInTheWayIsNamed() throws IOException {
    Files.createDirectories(root().getParent());
    Files.writeString(root(), "not a directory");

    assertRefused(CLUSTER, NODE, "cannot be used");
  }
}
