package io.quorate.consensus.snapshot;

import io.quorate.consensus.Position;
import io.quorate.consensus.disk.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The side that has the state. Exports it when asked, hands out pieces, and deletes it when the
 * other side is done or has been silent for too long. Thread-safe.
 *
 * <p>Each replica has one snapshot at a time. If it asks for one again before it has read anything,
 * for example because making it took longer than a request may, it gets the same one.
 */
public final class SnapshotSender implements AutoCloseable {
  /** Makes a snapshot. */
  @FunctionalInterface
  public interface Exporter {
    /**
     * Writes the state's files into an empty directory, and whatever else the engine needs with it.
     * Blocks.
     *
     * @return what state they hold
     * @throws IOException if it cannot; what it wrote is deleted
     */
    Position exportTo(Path directory) throws IOException;
  }

  /** What is worth telling. Called on the executor's threads; must not block. */
  public interface Events {
    void exported(UUID snapshot, String replica, Position position, int files);

    /** A directory that is no longer needed is still there; it goes with the next start. */
    void notDeleted(Path directory, IOException why);
  }

  /** For as many replicas at a time; more are refused. */
  static final int OPEN_MAX = 4;

  private static final class Export {
    final UUID id = UUID.randomUUID();
    final String replica;
    final Path directory;
    final CompletableFuture<ByteBuffer> opened = new CompletableFuture<>();
    boolean touched;
    long usedNanos;

    Export(String replica, Path parent) {
      this.replica = replica;
      this.directory = parent.resolve(id.toString());
    }
  }

  private final Exporter exporter;
  private final Events events;
  private final Path directory;
  private final int chunkBytesMax;
  private final Duration idleTimeout;
  private final Executor executor;
  private final LongSupplier nanoTime;

  /** Guarded by this. */
  private final Map<String, Export> exports = new HashMap<>();

  private int making;
  private boolean closed;

  /**
   * @param exporter called for one snapshot at a time a replica, several at a time altogether
   * @param directory for the files of snapshots on their way; what is in it is deleted
   * @param chunkBytesMax largest piece handed out
   * @param idleTimeout after this long without a request a snapshot is deleted
   * @param executor for reading and writing files
   */
  public SnapshotSender(
      Exporter exporter,
      Events events,
      Path directory,
      int chunkBytesMax,
      Duration idleTimeout,
      Executor executor)
      throws IOException {
    this(exporter, events, directory, chunkBytesMax, idleTimeout, executor, System::nanoTime);
  }

  SnapshotSender(
      Exporter exporter,
      Events events,
      Path directory,
      int chunkBytesMax,
      Duration idleTimeout,
      Executor executor,
      LongSupplier nanoTime)
      throws IOException {
    this.exporter = exporter;
    this.events = events;
    this.directory = directory;
    this.chunkBytesMax = chunkBytesMax;
    this.idleTimeout = idleTimeout;
    this.executor = executor;
    this.nanoTime = nanoTime;
    DurableFiles.deleteTree(directory);
    Files.createDirectories(directory);
  }

  /**
   * Answers a message of {@link SnapshotFetcher}. Does not block. An answer is read by one reader.
   * Fails with an {@link IOException} that says why in a sentence.
   */
  public CompletableFuture<ByteBuffer> answer(ByteBuffer request) {
    try {
      return CompletableFuture.supplyAsync(() -> answerNow(request), executor)
          .thenCompose(answer -> answer);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new IOException("This node is closing or has too many requests for snapshots.", e));
    }
  }

  /** To be called every now and then: deletes what nobody fetches any more. */
  public void dropIdle() {
    List<Export> idle;
    synchronized (this) {
      long now = nanoTime.getAsLong();
      idle =
          exports.values().stream()
              .filter(export -> export.opened.isDone())
              .filter(export -> now - export.usedNanos > idleTimeout.toNanos())
              .toList();
      idle.forEach(export -> exports.remove(export.replica));
    }
    idle.forEach(this::delete);
  }

  /** Makes no further snapshot. Blocks until none is being made: the state is left alone then. */
  @Override
  public synchronized void close() {
    closed = true;
    boolean interrupted = false;
    while (making > 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private CompletableFuture<ByteBuffer> answerNow(ByteBuffer bytes) {
    try {
      SnapshotMessage request = SnapshotMessage.decode(bytes);
      if (request instanceof SnapshotMessage.Open open) {
        return open(open.replica());
      } else if (request instanceof SnapshotMessage.Read read) {
        return CompletableFuture.completedFuture(read(read));
      } else if (request instanceof SnapshotMessage.Done done) {
        done(done.snapshot());
        return CompletableFuture.completedFuture(ByteBuffer.allocate(0));
      }
      throw new IOException("Not a request: " + request);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<ByteBuffer> open(String replica) throws IOException {
    Export export;
    Export outdated;
    synchronized (this) {
      if (closed) {
        throw new IOException("This replica is closing.");
      }
      outdated = exports.get(replica);
      if (outdated != null && !outdated.touched) {
        return outdated.opened.thenApply(ByteBuffer::duplicate);
      }
      if (outdated == null && exports.size() >= OPEN_MAX) {
        throw new IOException("Already " + OPEN_MAX + " snapshots are on their way.");
      }
      export = new Export(replica, directory);
      exports.put(replica, export);
      making++;
    }
    if (outdated != null) {
      delete(outdated);
    }
    make(export);
    return export.opened.thenApply(ByteBuffer::duplicate);
  }

  private void make(Export export) {
    try {
      ByteBuffer opened = exportTo(export);
      synchronized (this) {
        export.usedNanos = nanoTime.getAsLong();
      }
      export.opened.complete(opened);
    } catch (IOException | RuntimeException e) {
      synchronized (this) {
        exports.remove(export.replica, export);
      }
      delete(export);
      export.opened.completeExceptionally(e);
    } finally {
      synchronized (this) {
        making--;
        notifyAll();
      }
    }
  }

  private ByteBuffer exportTo(Export export) throws IOException {
    Files.createDirectories(export.directory);
    Position position = exporter.exportTo(export.directory);
    List<SnapshotMessage.FileEntry> files = new ArrayList<>();
    try (Stream<Path> paths = Files.list(export.directory)) {
      for (Path path : paths.sorted().toList()) {
        files.add(new SnapshotMessage.FileEntry(path.getFileName().toString(), Files.size(path)));
      }
    }
    events.exported(export.id, export.replica, position, files.size());
    return new SnapshotMessage.Opened(export.id, position, files).encoded();
  }

  private ByteBuffer read(SnapshotMessage.Read read) throws IOException {
    Path root = touch(read.snapshot());
    Path file = root.resolve(read.file()).normalize();
    if (!root.equals(file.getParent())) {
      throw new IOException("Not a file of a snapshot: " + read.file());
    }
    if (read.offset() < 0) {
      throw new IOException("A file has no offset " + read.offset() + ".");
    }
    ByteBuffer piece = ByteBuffer.allocate(Math.min(Math.max(read.length(), 0), chunkBytesMax));
    try (FileChannel channel = FileChannel.open(file)) {
      long offset = read.offset();
      while (piece.hasRemaining()) {
        int count = channel.read(piece, offset + piece.position());
        if (count < 0) {
          break;
        }
      }
    }
    return piece.flip();
  }

  private synchronized Path touch(UUID snapshot) throws IOException {
    Export export = find(snapshot);
    if (export == null) {
      throw new IOException("Snapshot " + snapshot + " is no longer here; ask for a new one.");
    }
    export.touched = true;
    export.usedNanos = nanoTime.getAsLong();
    return export.directory;
  }

  private void done(UUID snapshot) {
    Export export;
    synchronized (this) {
      export = find(snapshot);
      if (export == null) {
        return;
      }
      exports.remove(export.replica);
    }
    delete(export);
  }

  private Export find(UUID snapshot) {
    return exports.values().stream()
        .filter(export -> export.id.equals(snapshot))
        .findFirst()
        .orElse(null);
  }

  private void delete(Export export) {
    try {
      DurableFiles.deleteTree(export.directory);
    } catch (IOException e) {
      events.notDeleted(export.directory, e);
    }
  }
}
