package io.quorate.replication.snapshot;

import io.quorate.common.DurableFiles;
import io.quorate.model.Position;
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
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The sender of snapshot transfers. Exports the state on request, serves chunks of its files, and
 * deletes them when the receiver is done or has sent no request for too long. Thread-safe.
 *
 * <p>Each receiver has at most one transfer. If a receiver requests a snapshot again before it has
 * read a chunk, for example because the export took longer than the timeout of its request, it gets
 * the same snapshot. A receiver that requests a snapshot while another receiver has a recent one
 * shares the files of that one.
 */
public final class SnapshotSender implements AutoCloseable {
  /** Exports snapshots. */
  @FunctionalInterface
  public interface Exporter {
    /**
     * Writes the files of the state, and any files that the engine needs with it, into an empty
     * directory. Blocks.
     *
     * @return the position of the snapshot
     * @throws IOException if the export failed; the sender then deletes the files
     */
    Position exportTo(Path directory) throws IOException;
  }

  /**
   * Receives events for logs and metrics. Called on threads of the executor and on the thread that
   * calls {@link #dropIdle}; must not block.
   */
  public interface Events {
    /** The state was exported for a replica. */
    void exported(UUID snapshot, String replica, Position position, int files);

    /** An obsolete directory could not be deleted; the next start deletes it. */
    void notDeleted(Path directory, IOException cause);
  }

  /** The maximum number of concurrent transfers; further requests are rejected. */
  static final int TRANSFERS_MAX = 4;

  /** The age after which the files of a snapshot are not shared with further receivers. */
  static final Duration SHARED_AGE_MAX = Duration.ofSeconds(30);

  private record Contents(Position position, List<SnapshotMessage.FileEntry> files) {}

  /** The files of one snapshot. */
  private static final class Export {
    final Path directory;
    final CompletableFuture<Contents> contents = new CompletableFuture<>();
    final long startedNanos;

    Export(Path directory, long nowNanos) {
      this.directory = directory;
      this.startedNanos = nowNanos;
    }
  }

  /** The transfer of a snapshot to one receiver. */
  private static final class Transfer {
    final UUID id = UUID.randomUUID();
    final Export export;
    boolean hasBeenRead;
    long lastUsedNanos;

    Transfer(Export export, long nowNanos) {
      this.export = export;
      this.lastUsedNanos = nowNanos;
    }

    CompletableFuture<ByteBuffer> opened() {
      return export.contents.thenApply(
          contents ->
              new SnapshotMessage.Opened(id, contents.position(), contents.files()).encoded());
    }
  }

  private final Exporter exporter;
  private final Events events;
  private final Path directory;
  private final int chunkBytesMax;
  private final Duration idleTimeout;
  private final Executor executor;
  private final LongSupplier nanoTime;

  /** By the name of the receiver; guarded by this. */
  private final Map<String, Transfer> transfers = new HashMap<>();

  private int exportsRunning;
  private boolean closed;

  /**
   * @param exporter called at most once at a time for each receiver, and concurrently for several
   * @param directory the directory for the files of transfers; its content is deleted
   * @param chunkBytesMax the maximum size of a chunk in bytes
   * @param idleTimeout the time without a request after which {@link #dropIdle} ends a transfer
   * @param executor runs all work that blocks on files
   * @throws IOException if the directory cannot be emptied or created
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
    // Files that peers name are compared with it.
    this.directory = directory.normalize();
    this.chunkBytesMax = chunkBytesMax;
    this.idleTimeout = idleTimeout;
    this.executor = executor;
    this.nanoTime = nanoTime;
    DurableFiles.deleteTree(directory);
    Files.createDirectories(directory);
  }

  /**
   * Processes a request of a {@link SnapshotFetcher}. Does not block.
   *
   * @return completes, on a thread of the executor, with the response in a buffer of its own. Fails
   *     with an {@link IOException} whose message is a sentence with the reason.
   */
  public CompletableFuture<ByteBuffer> respond(ByteBuffer request) {
    try {
      return CompletableFuture.supplyAsync(() -> process(request), executor)
          .thenCompose(response -> response);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new IOException("This node is closing or has too many requests for snapshots.", e));
    }
  }

  /**
   * Ends the transfers that have been idle for longer than the idle timeout, and deletes their
   * files. Blocks on file deletion. To be called periodically.
   */
  public void dropIdle() {
    List<Export> unused = new ArrayList<>();
    synchronized (this) {
      long now = nanoTime.getAsLong();
      for (Map.Entry<String, Transfer> entry : Map.copyOf(transfers).entrySet()) {
        Transfer transfer = entry.getValue();
        if (transfer.export.contents.isDone()
            && now - transfer.lastUsedNanos > idleTimeout.toNanos()) {
          endTransfer(entry.getKey()).ifPresent(unused::add);
        }
      }
    }
    unused.forEach(this::delete);
  }

  /**
   * Rejects requests for further snapshots. Blocks until no export is running; the exporter is not
   * called afterwards.
   */
  @Override
  public synchronized void close() {
    closed = true;
    boolean interrupted = false;
    while (exportsRunning > 0) {
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

  private CompletableFuture<ByteBuffer> process(ByteBuffer bytes) {
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
      throw new IOException("The message is not a request: " + request);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<ByteBuffer> open(String replica) throws IOException {
    Transfer created;
    Optional<Export> unused;
    synchronized (this) {
      if (closed) {
        throw new IOException("This replica is closing.");
      }
      Transfer earlier = transfers.get(replica);
      if (earlier != null && !earlier.hasBeenRead) {
        return earlier.opened();
      }
      if (earlier == null && transfers.size() >= TRANSFERS_MAX) {
        throw new IOException("Already " + TRANSFERS_MAX + " snapshots are on their way.");
      }
      long now = nanoTime.getAsLong();
      Optional<Export> recent = earlier == null ? recentExport(now) : Optional.empty();
      if (recent.isPresent()) {
        Transfer shared = new Transfer(recent.get(), now);
        transfers.put(replica, shared);
        return shared.opened();
      }
      unused = endTransfer(replica);
      created = new Transfer(new Export(directory.resolve(UUID.randomUUID().toString()), now), now);
      transfers.put(replica, created);
      exportsRunning++;
    }
    unused.ifPresent(this::delete);
    export(created, replica);
    return created.opened();
  }

  private Optional<Export> recentExport(long now) {
    return transfers.values().stream()
        .map(transfer -> transfer.export)
        .filter(export -> now - export.startedNanos < SHARED_AGE_MAX.toNanos())
        .findFirst();
  }

  /** Ends the transfer to a replica. Returns its files if no other transfer uses them. */
  private Optional<Export> endTransfer(String replica) {
    return Optional.ofNullable(transfers.remove(replica))
        .map(transfer -> transfer.export)
        .filter(export -> transfers.values().stream().noneMatch(other -> other.export == export));
  }

  private void export(Transfer transfer, String replica) {
    Export export = transfer.export;
    try {
      Contents contents = exportTo(export.directory);
      events.exported(transfer.id, replica, contents.position(), contents.files().size());
      synchronized (this) {
        transfers.values().stream()
            .filter(other -> other.export == export)
            .forEach(other -> other.lastUsedNanos = nanoTime.getAsLong());
      }
      export.contents.complete(contents);
    } catch (IOException | RuntimeException | Error e) {
      synchronized (this) {
        transfers.values().removeIf(other -> other.export == export);
      }
      delete(export);
      export.contents.completeExceptionally(e);
    } finally {
      synchronized (this) {
        exportsRunning--;
        notifyAll();
      }
    }
  }

  private Contents exportTo(Path files) throws IOException {
    Files.createDirectories(files);
    Position position = exporter.exportTo(files);
    List<SnapshotMessage.FileEntry> entries = new ArrayList<>();
    try (Stream<Path> paths = Files.list(files)) {
      for (Path path : paths.sorted().toList()) {
        entries.add(new SnapshotMessage.FileEntry(path.getFileName().toString(), Files.size(path)));
      }
    }
    return new Contents(position, entries);
  }

  private ByteBuffer read(SnapshotMessage.Read read) throws IOException {
    Path root = recordUse(read.snapshot());
    Path file = root.resolve(read.file()).normalize();
    if (!root.equals(file.getParent())) {
      throw new IOException("Not a file of a snapshot: " + read.file());
    }
    if (read.offset() < 0) {
      throw new IOException("A file offset is 0 or greater, not " + read.offset() + ".");
    }
    ByteBuffer chunk = ByteBuffer.allocate(Math.min(Math.max(read.length(), 0), chunkBytesMax));
    try (FileChannel channel = FileChannel.open(file)) {
      long offset = read.offset();
      while (chunk.hasRemaining()) {
        int count = channel.read(chunk, offset + chunk.position());
        if (count < 0) {
          break;
        }
      }
    }
    return chunk.flip();
  }

  private synchronized Path recordUse(UUID snapshot) throws IOException {
    Transfer transfer =
        find(snapshot)
            .map(Map.Entry::getValue)
            .orElseThrow(
                () ->
                    new IOException(
                        "Snapshot " + snapshot + " is no longer here; request a new one."));
    transfer.hasBeenRead = true;
    transfer.lastUsedNanos = nanoTime.getAsLong();
    return transfer.export.directory;
  }

  private void done(UUID snapshot) {
    Optional<Export> unused;
    synchronized (this) {
      unused = find(snapshot).flatMap(entry -> endTransfer(entry.getKey()));
    }
    unused.ifPresent(this::delete);
  }

  private Optional<Map.Entry<String, Transfer>> find(UUID snapshot) {
    return transfers.entrySet().stream()
        .filter(entry -> entry.getValue().id.equals(snapshot))
        .findFirst();
  }

  private void delete(Export export) {
    try {
      DurableFiles.deleteTree(export.directory);
    } catch (IOException e) {
      events.notDeleted(export.directory, e);
    }
  }
}
