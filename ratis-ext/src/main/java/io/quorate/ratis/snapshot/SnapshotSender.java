package io.quorate.ratis.snapshot;

import io.quorate.consensus.Position;
import io.quorate.consensus.ReplicatedStateMachine;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The side that has the state. Exports it when asked, hands out pieces, and deletes it when the
 * other side is done or has been silent for too long.
 */
public final class SnapshotSender {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotSender.class);

  /** One for each replica that could need one at a time; more are refused. */
  private static final int OPEN_MAX = 4;

  private static final class Export {
    final Path directory;
    volatile long usedNanos = System.nanoTime();

    Export(Path directory) {
      this.directory = directory;
    }
  }

  private final ReplicatedStateMachine machine;
  private final Path directory;
  private final int chunkBytesMax;
  private final Duration idleTimeout;
  private final Executor executor;
  private final Map<UUID, Export> exports = new ConcurrentHashMap<>();

  /**
   * @param directory for the files of snapshots on their way; what is in it is deleted
   * @param chunkBytesMax largest piece handed out
   * @param idleTimeout after this long without a request a snapshot is deleted
   * @param executor for reading and writing files
   */
  public SnapshotSender(
      ReplicatedStateMachine machine,
      Path directory,
      int chunkBytesMax,
      Duration idleTimeout,
      Executor executor)
      throws IOException {
    this.machine = machine;
    this.directory = directory;
    this.chunkBytesMax = chunkBytesMax;
    this.idleTimeout = idleTimeout;
    this.executor = executor;
    SnapshotFiles.deleteRecursively(directory);
    Files.createDirectories(directory);
  }

  /** Answers a message of {@link SnapshotFetcher}. Does not block. */
  public CompletableFuture<Message> answer(Message request) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return answerNow(SnapshotMessage.decode(request.getContent()));
          } catch (IOException e) {
            throw new CompletionException(e);
          }
        },
        executor);
  }

  /** To be called every now and then: deletes what nobody fetches any more. */
  public void dropIdle() {
    for (Map.Entry<UUID, Export> entry : exports.entrySet()) {
      if (System.nanoTime() - entry.getValue().usedNanos > idleTimeout.toNanos()) {
        drop(entry.getKey());
      }
    }
  }

  private Message answerNow(SnapshotMessage request) throws IOException {
    if (request instanceof SnapshotMessage.Open) {
      return open();
    } else if (request instanceof SnapshotMessage.Read read) {
      return read(read);
    } else if (request instanceof SnapshotMessage.Done done) {
      drop(done.snapshot());
      return Message.EMPTY;
    }
    throw new IOException("Not a request: " + request);
  }

  private Message open() throws IOException {
    if (exports.size() >= OPEN_MAX) {
      throw new IOException("Already " + OPEN_MAX + " snapshots are on their way.");
    }
    UUID id = UUID.randomUUID();
    Export export = new Export(directory.resolve(id.toString()));
    exports.put(id, export);
    try {
      Files.createDirectories(export.directory);
      Position position = machine.exportSnapshot(export.directory);
      List<SnapshotMessage.FileEntry> files = new ArrayList<>();
      try (Stream<Path> paths = Files.list(export.directory)) {
        for (Path path : paths.sorted().toList()) {
          files.add(new SnapshotMessage.FileEntry(path.getFileName().toString(), Files.size(path)));
        }
      }
      export.usedNanos = System.nanoTime();
      LOG.info("Exported a snapshot snapshot={} position={} files={}", id, position, files.size());
      return new SnapshotMessage.Opened(id, position, files).encoded();
    } catch (IOException e) {
      drop(id);
      throw e;
    }
  }

  private Message read(SnapshotMessage.Read read) throws IOException {
    Export export = exports.get(read.snapshot());
    if (export == null) {
      throw new IOException(
          "Snapshot " + read.snapshot() + " is no longer here; ask for a new one.");
    }
    export.usedNanos = System.nanoTime();
    Path file = export.directory.resolve(read.file()).normalize();
    if (!export.directory.equals(file.getParent())) {
      throw new IOException("Not a file of a snapshot: " + read.file());
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
    return Message.valueOf(UnsafeByteOperations.unsafeWrap(piece.flip()));
  }

  private void drop(UUID id) {
    Export export = exports.remove(id);
    if (export != null) {
      try {
        SnapshotFiles.deleteRecursively(export.directory);
      } catch (IOException e) {
        LOG.warn("Could not delete a snapshot directory={}", export.directory, e);
      }
    }
  }
}
