package io.quorate.replication.transport;

import static io.quorate.replication.transport.TransportNode.GROUP;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Pace;
import io.quorate.model.Position;
import io.quorate.replication.snapshot.SnapshotFetcher;
import io.quorate.replication.snapshot.SnapshotSender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The transfer of a snapshot over the transport between nodes. */
class SnapshotTransferTest {
  private static final Position POSITION = new Position(1, 4711);
  private static final int CHUNK = 1 << 20;

  @TempDir Path root;

  private final ExecutorService files = Executors.newFixedThreadPool(2);
  private final byte[] data = new byte[5 * CHUNK + 3];
  private TransportNode receiver;
  private TransportNode source;

  @BeforeEach
  void start() throws IOException {
    new Random(7).nextBytes(data);
    receiver = new TransportNode("receiver", root).start();
    source = new TransportNode("source", root).start();
    receiver.link(source);
    SnapshotSender sender =
        new SnapshotSender(
            directory -> {
              Files.write(directory.resolve("data"), data);
              Files.writeString(directory.resolve("checkpoint"), "of the engine");
              return POSITION;
            },
            new NoEvents(),
            root.resolve("outgoing"),
            CHUNK,
            Duration.ofMinutes(1),
            files);
    source.responses = (from, request) -> sender.respond(request);
  }

  @AfterEach
  void close() {
    receiver.close();
    source.close();
    files.shutdownNow();
  }

  private CompletableFuture<SnapshotFetcher.Fetched> fetch() {
    return fetch(Duration.ofMinutes(1));
  }

  private CompletableFuture<SnapshotFetcher.Fetched> fetch(Duration timeout) {
    return new SnapshotFetcher(
            "receiver", root.resolve("incoming"), CHUNK, files, new Pace(1 << 30, 0))
        .fetch(
            () ->
                new PeerSource(
                    request ->
                        receiver.transport.call(
                            source.id,
                            GROUP,
                            TrafficClass.BULK,
                            List.of(request),
                            new RequestTimeout(timeout, "test.idle-timeout"))));
  }

  @Test
  void aSnapshotArrivesCompleteWithTheFilesOfTheEngine() throws IOException {
    SnapshotFetcher.Fetched fetched = fetch().join();
    assertThat(fetched.position()).isEqualTo(POSITION);
    assertThat(Files.readAllBytes(fetched.directory().resolve("data"))).isEqualTo(data);
    assertThat(fetched.directory().resolve("checkpoint")).hasContent("of the engine");
    await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> assertThat(root.resolve("outgoing")).isEmptyDirectory());
  }

  @Test
  void aSenderThatDoesNotRespondFailsTheTransfer() {
    source.responses = (from, request) -> new CompletableFuture<>();
    assertThatThrownBy(() -> fetch(Duration.ofMillis(200)).join())
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(IOException.class)
        .hasMessageContaining("did not respond within 200ms (test.idle-timeout)");
  }

  @Test
  void aSenderThatClosesFailsTheTransfer() {
    source.responses =
        (from, request) -> {
          new Thread(source::close).start();
          return new CompletableFuture<>();
        };
    assertThatThrownBy(() -> fetch().join())
        .hasCauseInstanceOf(IOException.class)
        .hasMessageContaining("was lost");
  }

  private static final class NoEvents implements SnapshotSender.Events {
    @Override
    public void exported(UUID snapshot, String replica, Position position, int files) {}

    @Override
    public void notDeleted(Path directory, IOException cause) {}
  }
}
