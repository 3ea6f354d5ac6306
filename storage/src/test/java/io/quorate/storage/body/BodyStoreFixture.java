package io.quorate.storage.body;

import static org.awaitility.Awaitility.await;

import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A store of bodies in a directory of its own, whose fsyncs can be held. */
abstract class BodyStoreFixture {
  static final Duration PATIENCE = Duration.ofSeconds(20);
  static final GroupId REGION = new GroupId(1);
  static final String FIRST = "0000000000000001.bodies";
  static final BodyStoreOptions SMALL =
      new BodyStoreOptions(1000, 100, 1 << 20, 0.5, Duration.ofMinutes(1), Duration.ofMinutes(1));

  /** Segments do not end, and an idle store does not state that its records are durable. */
  static final BodyStoreOptions QUIET =
      new BodyStoreOptions(
          64 << 20, 100, 1 << 20, 0.5, Duration.ofMinutes(1), Duration.ofMinutes(1));

  /** Where the content of the n-th record of a segment begins, all with contents of a length. */
  static long contentAt(int n, int length) {
    return n * (RecordHeader.OVERHEAD_BYTES + (long) length) + RecordHeader.BYTES;
  }

  @TempDir private Path root;

  final AtomicReference<IOException> failure = new AtomicReference<>();
  final CountDownLatch syncing = new CountDownLatch(1);
  final CountDownLatch release = new CountDownLatch(1);
  BodyStore store;

  @AfterEach
  void close() throws IOException {
    BodyWriter.BEFORE_SYNC.off();
    BodyWriter.AFTER_SYNC.off();
    if (store != null) {
      store.close();
    }
  }

  void open(BodyStoreOptions options) throws IOException {
    store = BodyStore.open(directory(), options, failure::set);
  }

  Path directory() {
    return root.resolve("bodies");
  }

  void reopen(BodyStoreOptions options) throws IOException {
    store.close();
    open(options);
  }

  static BodyId id(long number) {
    return new BodyId(REGION, 1, number);
  }

  static byte[] content(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  CompletableFuture<Void> put(BodyId body, byte[] content) {
    int half = content.length / 2;
    return store.put(
        body,
        List.of(
            ByteBuffer.wrap(content, 0, half),
            ByteBuffer.wrap(content, half, content.length - half)));
  }

  Optional<byte[]> get(BodyId body) throws IOException {
    return store.get(body).map(ByteBuffer::array);
  }

  /** Closes the store and leaves its files as they are now, as if the process had been killed. */
  void kill() throws IOException {
    Optional<Map<Path, byte[]>> files = Optional.empty();
    while (files.isEmpty()) {
      files = consistentFiles();
    }
    store.close();
    for (Path file : files()) {
      Files.delete(file);
    }
    for (Map.Entry<Path, byte[]> file : files.get().entrySet()) {
      Files.write(file.getKey(), file.getValue());
    }
  }

  /** The files of the store at one time; empty if a compaction has changed them meanwhile. */
  private Optional<Map<Path, byte[]>> consistentFiles() throws IOException {
    Path state = directory().resolve(StoreState.FILE);
    Map<Path, byte[]> files = new HashMap<>();
    byte[] before = Files.readAllBytes(state);
    try {
      for (Path file : files()) {
        if (file.toString().endsWith(".bodies")) {
          files.put(file, Files.readAllBytes(file));
        }
      }
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    files.put(state, before);
    return Arrays.equals(before, Files.readAllBytes(state)) ? Optional.of(files) : Optional.empty();
  }

  /** From now on an fsync begins only after {@code release}. */
  void holdSyncs() {
    BodyWriter.BEFORE_SYNC.on(
        (point, records) -> {
          syncing.countDown();
          await().atMost(PATIENCE).until(() -> release.getCount() == 0);
        });
  }

  List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory())) {
      return files.sorted().toList();
    }
  }

  /** The newest file with content. */
  Path lastFile() throws IOException {
    Path last = null;
    for (Path file : files()) {
      if (Files.size(file) > 0 && file.toString().endsWith(".bodies")) {
        last = file;
      }
    }
    return last;
  }

  static void flip(Path file, long offset) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, offset);
      one.put(0, (byte) (one.get(0) ^ 1)).rewind();
      channel.write(one, offset);
    }
  }
}
