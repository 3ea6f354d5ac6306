package io.quorate.consensus.snapshot;

import io.quorate.consensus.Position;
import io.quorate.consensus.disk.DurableFiles;
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

/** The side that needs the state. Fetches a snapshot of one replica into a directory. */
public final class SnapshotFetcher {
  /** The replica that has the state, for one transfer. Used and closed by one thread. */
  @FunctionalInterface
  public interface Source extends Closeable {
    /**
     * Has {@link SnapshotSender#answer} answer there. Blocks.
     *
     * @throws IOException if there is no answer: it was refused, did not come in time, or the
     *     connection was lost; the sentence says which
     */
    ByteBuffer ask(ByteBuffer request) throws IOException;

    /** Lets go of what was needed for asking. */
    @Override
    default void close() throws IOException {}
  }

  /** Finds the replica that has the state. */
  @FunctionalInterface
  public interface Connect {
    /** May block. The caller closes what it gets. */
    Source connect() throws IOException;
  }

  /**
   * A snapshot that has arrived.
   *
   * @param directory its files
   * @param position what state it holds
   * @param bytes how long the files are together
   */
  public record Fetched(Path directory, Position position, long bytes) {}

  private final String self;
  private final Path directory;
  private final int chunkBytes;
  private final Executor executor;

  /**
   * @param self this replica's name
   * @param directory where the files go; what is in it is deleted first
   * @param chunkBytes how much to ask for at a time
   * @param executor for the transfer, which blocks it
   */
  public SnapshotFetcher(String self, Path directory, int chunkBytes, Executor executor) {
    this.self = self;
    this.directory = directory;
    this.chunkBytes = chunkBytes;
    this.executor = executor;
  }

  /**
   * Completes when the files are here, durable; whether they are what they should be, the state
   * machine checks. Fails with an {@link IOException}, and leaves in the directory what there is.
   * For one transfer at a time.
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
    SnapshotMessage answer =
        SnapshotMessage.decode(source.ask(new SnapshotMessage.Open(self).encoded()));
    if (!(answer instanceof SnapshotMessage.Opened opened)) {
      throw new IOException("What was asked for a snapshot did not open one: " + answer);
    }
    long bytes = 0;
    for (SnapshotMessage.FileEntry file : opened.files()) {
      fetchFile(source, opened, file);
      bytes += file.bytes();
    }
    DurableFiles.syncDirectory(directory);
    source.ask(new SnapshotMessage.Done(opened.snapshot()).encoded());
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
        ByteBuffer piece = source.ask(read.encoded());
        if (!piece.hasRemaining()) {
          throw new IOException("File " + file.name() + " of the snapshot ends early.");
        }
        if (piece.remaining() > length) {
          throw new IOException("A piece of file " + file.name() + " is longer than asked for.");
        }
        while (piece.hasRemaining()) {
          offset += channel.write(piece);
        }
      }
      channel.force(true);
    }
  }
}
