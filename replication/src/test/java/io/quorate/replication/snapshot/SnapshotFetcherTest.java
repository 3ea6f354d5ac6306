package io.quorate.replication.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.Pace;
import io.quorate.model.Position;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both sides of a transfer, without a network between them. */
class SnapshotFetcherTest {
  private static final Position POSITION = new Position(2, 17);
  private static final int CHUNK = 4;

  @TempDir Path root;

  private final AtomicInteger closed = new AtomicInteger();
  private Path incoming;
  private SnapshotFetcher fetcher;

  @BeforeEach
  void createFetcher() throws IOException {
    incoming = root.resolve("incoming");
    Files.createDirectories(incoming.resolve("left over"));
    fetcher =
        new SnapshotFetcher("n1", incoming, CHUNK, Runnable::run, new Pace(Long.MAX_VALUE / 2, 0));
  }

  @Test
  void anExportedSnapshotIsFetched() throws IOException {
    transfer(root);
  }

  /** The directory has such a path if the data directory is "./data", for example. */
  @Test
  void aSnapshotIsFetchedThroughPathsThatAreNotNormalized() throws IOException {
    Path here = root.resolve(".");
    fetcher =
        new SnapshotFetcher(
            "n1", here.resolve("incoming"), CHUNK, Runnable::run, new Pace(Long.MAX_VALUE / 2, 0));
    transfer(here);
  }

  private void transfer(Path parent) throws IOException {
    SnapshotSender sender =
        new SnapshotSender(
            directory -> {
              Files.writeString(directory.resolve("data"), "0123456789");
              Files.writeString(directory.resolve("empty"), "");
              return POSITION;
            },
            new NoEvents(),
            parent.resolve("outgoing"),
            CHUNK,
            Duration.ofMinutes(1),
            Runnable::run);
    SnapshotFetcher.Fetched fetched =
        fetcher.fetch(() -> countingCloses(request -> sender.respond(request).join())).join();
    assertThat(fetched).isEqualTo(new SnapshotFetcher.Fetched(incoming, POSITION, 10));
    assertThat(incoming).isDirectoryNotContaining(path -> path.endsWith("left over"));
    assertThat(incoming.resolve("data")).hasContent("0123456789");
    assertThat(incoming.resolve("empty")).isEmptyFile();
    assertThat(root.resolve("outgoing")).as("no longer needed").isEmptyDirectory();
    assertThat(closed).hasValue(1);
  }

  @Test
  void aFileNameOutsideTheDirectoryIsRejected() {
    assertThatThrownBy(() -> fetchFile("../outside", ByteBuffer.wrap(new byte[3])))
        .hasMessageContaining("../outside");
    assertThat(root.resolve("outside")).doesNotExist();
    assertThat(closed).hasValue(1);
  }

  @Test
  void aFileThatEndsEarlyIsRejected() {
    assertThatThrownBy(() -> fetchFile("data", ByteBuffer.allocate(0)))
        .hasMessageContaining("data")
        .hasMessageContaining("ends early");
  }

  @Test
  void aChunkThatIsTooLongIsRejected() {
    assertThatThrownBy(() -> fetchFile("data", ByteBuffer.allocate(CHUNK)))
        .hasMessageContaining("data")
        .hasMessageContaining("longer");
  }

  @Test
  void aFailedRequestEndsTheTransfer() {
    assertThatThrownBy(
            () ->
                fetcher
                    .fetch(
                        () ->
                            countingCloses(
                                request -> {
                                  throw new IOException("no response");
                                }))
                    .join())
        .hasCauseInstanceOf(IOException.class)
        .hasMessageContaining("no response");
    assertThat(closed).hasValue(1);
  }

  /** Fetches from a source with one file of three bytes, every chunk of which is the given one. */
  private void fetchFile(String name, ByteBuffer chunk) {
    SnapshotMessage.Opened opened =
        new SnapshotMessage.Opened(
            new UUID(1, 2), POSITION, List.of(new SnapshotMessage.FileEntry(name, 3)));
    fetcher
        .fetch(
            () ->
                countingCloses(
                    request ->
                        SnapshotMessage.decode(request) instanceof SnapshotMessage.Open
                            ? opened.encoded()
                            : chunk.duplicate()))
        .join();
  }

  private SnapshotFetcher.Source countingCloses(SnapshotFetcher.Source source) {
    return new SnapshotFetcher.Source() {
      @Override
      public ByteBuffer call(ByteBuffer request) throws IOException {
        return source.call(request);
      }

      @Override
      public void close() {
        closed.incrementAndGet();
      }
    };
  }

  private static final class NoEvents implements SnapshotSender.Events {
    @Override
    public void exported(UUID snapshot, String replica, Position position, int files) {}

    @Override
    public void notDeleted(Path directory, IOException cause) {}
  }
}
