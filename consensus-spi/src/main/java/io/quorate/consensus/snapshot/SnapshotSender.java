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
import java.util.Optional;
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
 * <p>Each replica has one snapshot at a time. If it requests one again before it has read anything,
 * for example because making it took longer than a request may, it gets the same one. A replica
 * that requests one while another fetches a young one gets that one, too.
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

  /** A snapshot is given to further replicas for so long after it was begun. */
  static final Duration SHARED_FOR = Duration.ofSeconds(30);

  private record Contents(Position position, List<SnapshotMessage.FileEntry> files) {}

  /** The files of one snapshot. */
  private static final class Export {
    final Path directory;
    final CompletableFuture<Contents> contents = new CompletableFuture<>();
    final long begunNanos;

    Export(Path directory, long nowNanos) {
      this.directory = directory;
      this.begunNanos = nowNanos;
    }
  }

  /** One replica's use of a snapshot. */
  private static final class Transfer {
    final UUID id = UUID.randomUUID();
    final Export export;
    boolean touched;
    long usedNanos;

    Transfer(Export export, long nowNanos) {
      this.export = export;
      this.usedNanos = nowNanos;
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

  /** Guarded by this. */
  private final Map<String, Transfer> transfers = new HashMap<>();

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
    List<Export> unused = new ArrayList<>();
    synchronized (this) {
      long now = nanoTime.getAsLong();
      for (Map.Entry<String, Transfer> entry : Map.copyOf(transfers).entrySet()) {
        Transfer transfer = entry.getValue();
        if (transfer.export.contents.isDone() && now - transfer.usedNanos > idleTimeout.toNanos()) {
          end(entry.getKey()).ifPresent(unused::add);
        }
      }
    }
    unused.forEach(this::delete);
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
    Transfer fresh;
    Optional<Export> unused;
    synchronized (this) {
      if (closed) {
        throw new IOException("This replica is closing.");
      }
      Transfer earlier = transfers.get(replica);
      if (earlier != null && !earlier.touched) {
        return earlier.opened();
      }
      if (earlier == null && transfers.size() >= OPEN_MAX) {
        throw new IOException("Already " + OPEN_MAX + " snapshots are on their way.");
      }
      long now = nanoTime.getAsLong();
      Optional<Export> young = earlier == null ? young(now) : Optional.empty();
      if (young.isPresent()) {
        Transfer shared = new Transfer(young.get(), now);
        transfers.put(replica, shared);
        return shared.opened();
      }
      unused = end(replica);
      fresh = new Transfer(new Export(directory.resolve(UUID.randomUUID().toString()), now), now);
      transfers.put(replica, fresh);
      making++;
    }
    unused.ifPresent(this::delete);
    make(fresh, replica);
    return fresh.opened();
  }

  private Optional<Export> young(long now) {
    return transfers.values().stream()
        .map(transfer -> transfer.export)
        .filter(export -> now - export.begunNanos < SHARED_FOR.toNanos())
        .findFirst();
  }

  /** Ends a replica's transfer, and gives the files that are of no more use. */
  private Optional<Export> end(String replica) {
    return Optional.ofNullable(transfers.remove(replica))
        .map(transfer -> transfer.export)
        .filter(export -> transfers.values().stream().noneMatch(other -> other.export == export));
  }

  private void make(Transfer transfer, String replica) {
    Export export = transfer.export;
    try {
      Contents contents = exportTo(export.directory);
      events.exported(transfer.id, replica, contents.position(), contents.files().size());
      synchronized (this) {
        transfers.values().stream()
            .filter(waiting -> waiting.export == export)
            .forEach(waiting -> waiting.usedNanos = nanoTime.getAsLong());
      }
      export.contents.complete(contents);
    } catch (IOException | RuntimeException e) {
      synchronized (this) {
        transfers.values().removeIf(waiting -> waiting.export == export);
      }
      delete(export);
      export.contents.completeExceptionally(e);
    } finally {
      synchronized (this) {
        making--;
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
    Transfer transfer =
        find(snapshot)
            .map(Map.Entry::getValue)
            .orElseThrow(
                () ->
                    new IOException(
                        "Snapshot " + snapshot + " is no longer here; request a new one."));
    transfer.touched = true;
    transfer.usedNanos = nanoTime.getAsLong();
    return transfer.export.directory;
  }

  private void done(UUID snapshot) {
    Optional<Export> unused;
    synchronized (this) {
      unused = find(snapshot).flatMap(entry -> end(entry.getKey()));
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
