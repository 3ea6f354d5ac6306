package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.QuorateClient;
import io.quorate.client.wire.Preamble;
import io.quorate.client.wire.Status;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.testing.RawClient;
import io.quorate.server.testing.TestCluster;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
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
 * Formats on disk and on the wire are those of commit 49667bb. From it are the data directory of a
 * node, stopped once, started again and killed, and the bytes that a client sent to it.
 */
class FormerVersionTest {
  @TempDir private Path directory;
  private final Map<String, byte[]> conversations = new TreeMap<>();
  private TestCluster cluster;

  @BeforeEach
  void forgetConversations() {
    conversations.clear();
  }

  @ParameterizedTest
  @ValueSource(strings = {"raft", "acqr"})
  void itsDataDirectoryHasEveryRow(String preset) throws IOException {
    unpack(preset);
    try (QuorateNode node = start(preset);
        QuorateClient client = QuorateClient.connect(cluster.seeds())) {
      requireRows(client);
      assertThat(client.get("after-stop")).contains("unflushed");
      client.put("later", "1");
      assertThat(client.get("later")).contains("1");
      assertThat(node.serving().toCompletableFuture()).isCompleted();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"raft", "acqr"})
  void itsClientIsServed(String preset) throws IOException {
    unpack(preset);
    try (QuorateNode node = start(preset, directory.resolve("new"));
        QuorateClient present = QuorateClient.connect(cluster.seeds())) {
      // Both regions serve.
      assertThat(present.get("a")).isEmpty();
      assertThat(present.get(new byte[] {(byte) 0xff})).isEmpty();
      for (byte[] requests : conversations.values()) {
        try (RawClient client = RawClient.silent(cluster.clientPort(0))) {
          client.sendBytes(requests);
          for (int i = 0; i < frames(requests); i++) {
            assertThat(client.receive().status()).isEqualTo(Status.OK);
          }
        }
      }
      requireRows(present);
      assertThat(node.serving().toCompletableFuture()).isCompleted();
    }
  }

  private static void requireRows(QuorateClient client) {
    assertThat(client.get("key-a")).contains("value-a!");
    assertThat(client.get("key-b")).contains("swapped");
    assertThat(client.get("key-c")).contains("replaced");
    assertThat(client.get("key-d")).isEmpty();
    assertThat(client.get("key-e")).contains("value-e+");
    assertThat(client.get("n")).contains("50");
    assertThat(client.get("x")).contains("1");
    assertThat(client.get("zz")).contains("last");
  }

  /** The frames after the preamble. */
  private static int frames(byte[] requests) {
    ByteBuffer rest = ByteBuffer.wrap(requests).position(Preamble.BYTES);
    int count = 0;
    while (rest.hasRemaining()) {
      int length = rest.getInt();
      rest.position(rest.position() + length);
      count++;
    }
    return count;
  }

  private QuorateNode start(String preset) {
    return start(preset, directory.resolve("data"));
  }

  private QuorateNode start(String preset, Path data) {
    String more =
        """
        preset = %s
        cluster.id = former
        cluster.regions = 2
        node.data = "%s"
        """;
    cluster = new TestCluster(directory, 1, more.formatted(preset, data));
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
          conversations.put(entry.getName(), zip.readAllBytes());
        } else {
          Path target = directory.resolve(entry.getName());
          Files.createDirectories(target.getParent());
          Files.copy(zip, target);
        }
      }
    }
  }
}
