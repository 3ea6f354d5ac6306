package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.protocol.wire.Preamble;
import io.quorate.protocol.wire.Status;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartupException;
import io.quorate.server.node.directory.DataIdentity;
import io.quorate.server.testing.RawClient;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A data directory and a client of commit 49667bb, whose requests have no known position, are
 * refused. A node and a client of that commit recorded the resources: the data directory of the
 * node, and the bytes that the client sent to it.
 */
class FormerVersionTest {
  @TempDir private Path directory;
  private final Map<String, byte[]> recordedRequests = new TreeMap<>();
  private TestCluster cluster;

  @BeforeEach
  void clearRecordedRequests() {
    recordedRequests.clear();
  }

  @ParameterizedTest
  @ValueSource(strings = {"raft", "acqr"})
  void theFormerDataDirectoryIsRefusedWithBothFormats(String preset) throws IOException {
    unpack(preset);
    assertThatThrownBy(() -> start(preset))
        .isInstanceOf(StartupException.class)
        .hasMessageContaining("has format \"3\"")
        .hasMessageContaining("reads format " + DataIdentity.FORMAT + " only");
  }

  @ParameterizedTest
  @ValueSource(strings = {"raft", "acqr"})
  void theFormerClientIsRefusedInItsOwnFormat(String preset) throws IOException {
    unpack(preset);
    assertThat(recordedRequests).isNotEmpty();
    try (QuorateNode node = start(preset, directory.resolve("new"))) {
      for (byte[] requests : recordedRequests.values()) {
        try (RawClient client = RawClient.withoutHandshake(cluster.clientPort(0))) {
          client.sendBytes(requests);
          RawClient.Response refusal = client.receiveRefusal();
          assertThat(refusal.status()).isEqualTo(Status.INCOMPATIBLE);
          assertThat(refusal.failure().getMessage())
              .contains("protocol version " + Preamble.VERSION)
              .contains("requested version");
          client.awaitClosed();
        }
      }
      assertThat(node.serving().toCompletableFuture()).isCompleted();
    }
  }

  private QuorateNode start(String preset) {
    return start(preset, directory.resolve("data"));
  }

  private QuorateNode start(String preset, Path data) {
    String settings =
        """
        preset = %s
        cluster.id = former
        cluster.regions = 2
        node.data = "%s"
        """;
    cluster = new TestCluster(directory, 1, settings.formatted(preset, data));
    ServerConfig config = cluster.config(0);
    QuorateNode node =
        QuorateNode.start(
            config,
            Engines.available().get(config.mode().engine()),
            failure -> {
              throw failure;
            });
    node.serving().toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    return node;
  }

  private void unpack(String preset) throws IOException {
    try (InputStream file = getClass().getResourceAsStream("/former/" + preset + ".zip");
        ZipInputStream zip = new ZipInputStream(file, StandardCharsets.UTF_8)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (entry.getName().endsWith(".requests")) {
          recordedRequests.put(entry.getName(), zip.readAllBytes());
        } else {
          Path target = directory.resolve(entry.getName());
          Files.createDirectories(target.getParent());
          Files.copy(zip, target);
        }
      }
    }
  }
}
