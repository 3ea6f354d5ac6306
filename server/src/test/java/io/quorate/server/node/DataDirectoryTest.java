package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.server.config.StartupException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataDirectoryTest {
  private static final DataIdentity IDENTITY =
      new DataIdentity("c1", "n1", DataIdentity.FORMAT_VERSION, Map.of("engine", "rabia"));

  @TempDir private Path parent;

  private Path root() {
    return parent.resolve("a").resolve("data");
  }

  private void open(DataIdentity identity) throws IOException {
    try (DataDirectory data = DataDirectory.open(root(), identity)) {
      assertThat(data.storage()).isDirectory();
      assertThat(data.consensus()).isDirectory();
      assertThat(data.freeBytes()).isPositive();
    }
  }

  private void assertRefused(DataIdentity identity, String... parts) {
    assertThatThrownBy(() -> open(identity))
        .isInstanceOf(StartupException.class)
        .hasMessageContainingAll(parts)
        .hasMessageContaining(root().toString())
        .message()
        .endsWith(".");
  }

  @Test
  void belongsToOneNodeOfOneCluster() throws IOException {
    open(IDENTITY);
    open(IDENTITY);

    assertRefused(
        new DataIdentity("c2", "n1", IDENTITY.formatVersion(), IDENTITY.choices()),
        "belongs to cluster \"c1\"",
        "cluster.id is \"c2\"");
    assertRefused(
        new DataIdentity("c1", "n2", IDENTITY.formatVersion(), IDENTITY.choices()),
        "belongs to node \"n1\"",
        "node.id is \"n2\"");
  }

  @Test
  void keepsWhatItsFilesDependOn() throws IOException {
    Map<String, String> published =
        Map.of("engine", "rabia", "replication", "full", "rabia.chooser", "published");
    DataIdentity made = new DataIdentity("c1", "n1", DataIdentity.FORMAT_VERSION, published);
    open(made);
    open(made);

    assertRefused(
        new DataIdentity(
            "c1", "n1", made.formatVersion(), Map.of("engine", "raft", "replication", "full")),
        "was made with engine = \"rabia\", and the configuration has \"raft\"",
        "change the configuration back");
    assertRefused(
        new DataIdentity(
            "c1",
            "n1",
            made.formatVersion(),
            Map.of("engine", "rabia", "replication", "full", "rabia.chooser", "owned")),
        "was made with rabia.chooser = \"published\", and the configuration has \"owned\"");
  }

  @Test
  void anotherFormatIsRefused() throws IOException {
    open(IDENTITY);
    Path identity = root().resolve("identity");
    Files.writeString(identity, Files.readString(identity).replace("format=3", "format=7"));

    assertRefused(IDENTITY, "format \"7\"");
  }

  @Test
  void oneProcessAtATime() throws IOException {
    try (DataDirectory held = DataDirectory.open(root(), IDENTITY)) {
      assertThat(held.storage()).exists();
      assertRefused(IDENTITY, "in use");
    }
    open(IDENTITY);
  }

  @Test
  void filesOfSomebodyElseAreLeftAlone() throws IOException {
    Files.createDirectories(root());
    Files.writeString(root().resolve("diary.txt"), "dear diary");

    assertRefused(IDENTITY, "holds files but no identity");
    assertThat(root().resolve("identity")).doesNotExist();
  }

  @Test
  void anInterruptedFirstStartIsRepeated() throws IOException {
    Files.createDirectories(root());
    Files.writeString(root().resolve("identity.draft"), "half");
    Files.writeString(root().resolve("lock"), "");

    open(IDENTITY);

    assertThat(root().resolve("identity")).exists();
  }

  @Test
  void aFileInTheWayIsNamed() throws IOException {
    Files.createDirectories(root().getParent());
    Files.writeString(root(), "not a directory");

    assertRefused(IDENTITY, "cannot be used");
  }
}
