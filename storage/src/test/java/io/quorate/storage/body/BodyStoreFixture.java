package io.quorate.storage.body;

import static org.awaitility.Awaitility.await;

import io.quorate.consensus.BodyId;
import io.quorate.consensus.GroupId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
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
      new BodyStoreOptions(1000, 100, 1 << 20, 0.5, Duration.ofMinutes(1));

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
      if (Files.size(file) > 0) {
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
