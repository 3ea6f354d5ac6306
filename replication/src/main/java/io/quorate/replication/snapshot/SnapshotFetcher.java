package io.quorate.replication.snapshot;

import io.quorate.common.DurableFiles;
import io.quorate.common.Pace;
import io.quorate.model.Position;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * The receiver of a snapshot transfer: fetches a snapshot from another replica into a directory.
 */
public final class SnapshotFetcher {
  /**
   * The connection to the sender, for one transfer. Used and closed by the thread of the transfer.
   */
  @FunctionalInterface
  public interface Source extends Closeable {
    /**
     * Sends a request, which {@link SnapshotSender#respond} processes at the sender, and waits for
     * the response. Blocks.
     *
     * @return the response, from position to limit
     * @throws IOException if the request was rejected or timed out, or the connection was lost; the
     *     message is a sentence with the reason
     */
    ByteBuffer call(ByteBuffer request) throws IOException;

    /** Releases the connection. */
    @Override
    default void close() throws IOException {}
  }

  /** Connects to the sender. */
  @FunctionalInterface
  public interface Connect {
    /** Opens a connection, which the caller closes. May block. */
    Source connect() throws IOException;
  }

  /**
   * A snapshot that was received completely.
   *
   * @param directory the directory that contains its files
   * @param position the position of the snapshot
   * @param bytes the total size of the files in bytes
   */
  public record Fetched(Path directory, Position position, long bytes) {}

  private final String self;
  private final Path directory;
  private final int chunkBytes;
  private final Executor executor;
  private final Pace pace;

  /**
   * @param self the name of this replica, by which the sender identifies its transfer
   * @param directory the directory for the received files; each transfer first deletes its content
   * @param chunkBytes the maximum number of bytes in one request
   * @param executor runs transfers; each blocks one thread
   * @param pace of all transfers to this node
   */
  public SnapshotFetcher(
      String self, Path directory, int chunkBytes, Executor executor, Pace pace) {
    this.self = self;
    // Files that the sender names are compared with it.
    this.directory = directory.normalize();
    this.chunkBytes = chunkBytes;
    this.executor = executor;
    this.pace = pace;
  }

  /**
   * Fetches a snapshot. Does not block. The caller must not start a transfer while another is in
   * progress.
   *
   * @return completes, on a thread of the executor, when all files are received and synced. The
   *     state machine verifies their content. Fails with an {@link IOException}; the files received
   *     so far then remain in the directory.
   * @throws java.util.concurrent.RejectedExecutionException if the executor rejects the transfer
   */
  public CompletableFuture<Fetched> fetch(Connect connect) {
    return CompletableFuture.supplyAsync(
        () -> {
          try (Source source = connect.connect()) {
            return fetchNow(source);
          } catch (IOException e) {
            throw new CompletionException(e);
          }
        },
        executor);
  }

  private Fetched fetchNow(Source source) throws IOException {
    DurableFiles.deleteTree(directory);
    Files.createDirectories(directory);
    SnapshotMessage response =
        SnapshotMessage.decode(source.call(new SnapshotMessage.Open(self).encoded()));
    if (!(response instanceof SnapshotMessage.Opened opened)) {
      throw new IOException("Unexpected response to a request for a snapshot: " + response);
    }
    long bytes = 0;
    for (SnapshotMessage.FileEntry file : opened.files()) {
      fetchFile(source, opened, file);
      bytes += file.bytes();
    }
    DurableFiles.syncDirectory(directory);
    source.call(new SnapshotMessage.Done(opened.snapshot()).encoded());
    return new Fetched(directory, opened.position(), bytes);
  }

  private void fetchFile(
      Source source, SnapshotMessage.Opened snapshot, SnapshotMessage.FileEntry file)
      throws IOException {
    Path path = directory.resolve(file.name()).normalize();
    if (!directory.equals(path.getParent())) {
      throw new IOException("A snapshot names a file outside its directory: " + file.name());
    }
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      long offset = 0;
      while (offset < file.bytes()) {
        int length = (int) Math.min(chunkBytes, file.bytes() - offset);
        SnapshotMessage.Read read =
            new SnapshotMessage.Read(snapshot.snapshot(), file.name(), offset, length);
        awaitTurn(length);
        ByteBuffer chunk = source.call(read.encoded());
        if (!chunk.hasRemaining()) {
          throw new IOException("File " + file.name() + " of the snapshot ends early.");
        }
        if (chunk.remaining() > length) {
          throw new IOException("A chunk of file " + file.name() + " is longer than requested.");
        }
        while (chunk.hasRemaining()) {
          offset += channel.write(chunk);
        }
      }
      channel.force(true);
    }
  }

  private void awaitTurn(int bytes) throws IOException {
    try {
      TimeUnit.NANOSECONDS.sleep(pace.reserve(bytes, System.nanoTime()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("This node is closing.", e);
    }
  }
}
