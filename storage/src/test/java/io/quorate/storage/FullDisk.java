package io.quorate.storage;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.Operation;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageFailure;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Fills a small file system under a running storage, frees it, and checks that the storage
 * recovers. A separate process, since the file system is mounted for it alone. Exit code 0 on
 * success.
 */
final class FullDisk {
  private static final int KEYS = 200;
  private static final int VALUE_BYTES = 10_000;

  /** ENOSPC in the C locale, which the test sets. */
  private static final String NO_SPACE = "No space left on device";

  private FullDisk() {}

  /**
   * @param arguments the file system, and the write-ahead log of RocksDB
   */
  public static void main(String[] arguments) throws Exception {
    Path disk = Path.of(arguments[0]);
    Path ballast = disk.resolve("ballast");
    StorageOptions options =
        StorageOptions.DEFAULT.toBuilder()
            .wal(StorageOptions.Wal.valueOf(arguments[1]))
            .writeBufferBytes(4 << 20)
            .flushInterval(Duration.ofMillis(200))
            .build();
    LinkedBlockingQueue<StorageFailure> failures = new LinkedBlockingQueue<>();
    StorageListener listener =
        new StorageListener() {
          @Override
          public void failed(StorageFailure failure) {
            failures.add(failure);
          }

          @Override
          public void recovered(Optional<GroupId> region) {}
        };
    Path home = disk.resolve("storage");
    long last;
    try (Storage storage = Storage.open(home, options, MetricsSink.NONE, listener)) {
      RegionStore region = storage.region(TestRegion.GROUP, KeyRange.ALL, Keyspace.DATA);
      region.open();
      Random random = new Random(1);
      long index = 0;
      CompletableFuture<Void> capacity = commit(region, index, random);
      region.awaitReadable(TestRegion.at(index)).toCompletableFuture().get(60, TimeUnit.SECONDS);
      // A failure is reported once, so it must not be lost when it is polled.
      StorageFailure failure = null;
      while (failure == null) {
        fill(ballast);
        if (capacity.isDone()) {
          capacity = commit(region, ++index, random);
        }
        failure = failures.poll(capacity.isDone() ? 0 : 10, TimeUnit.MILLISECONDS);
      }
      require(failure.kind() == StorageFailure.Kind.NO_SPACE, "reported as " + failure);
      require(region.get(key(0)).isPresent(), "reads while full");
      while (capacity.isDone()) {
        fill(ballast);
        capacity = commit(region, ++index, random);
      }
      Position stuck = region.applied();
      require(stuck.index() < index, "applies nothing that does not fit");

      Files.delete(ballast);
      last = index;
      region.awaitReadable(TestRegion.at(last)).toCompletableFuture().get(60, TimeUnit.SECONDS);
      Position durable = flushed(region);
      require(durable.index() == last, "flushes everything: " + durable);
    }
    try (Storage storage = Storage.open(home, options, MetricsSink.NONE)) {
      RegionStore region = storage.region(TestRegion.GROUP, KeyRange.ALL, Keyspace.DATA);
      require(region.open().index() == last, "reopens at " + last);
    }
  }

  /**
   * Writes until the file system has no space left. The caller repeats it: RocksDB deletes files at
   * any time, also right after the write that fails, and would recover by itself.
   */
  private static void fill(Path ballast) throws IOException {
    byte[] block = new byte[4 << 10];
    try (OutputStream out =
        Files.newOutputStream(ballast, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      while (true) {
        out.write(block);
      }
    } catch (IOException e) {
      if (!String.valueOf(e.getMessage()).contains(NO_SPACE)) {
        throw e;
      }
    }
  }

  private static CompletableFuture<Void> commit(RegionStore region, long index, Random random) {
    byte[] value = new byte[VALUE_BYTES];
    random.nextBytes(value);
    Key key = key(index == 0 ? 0 : random.nextInt(KEYS));
    Operation put = new Operation.Put(key, ByteBuffer.wrap(value));
    return region
        .committed(
            new CommittedBatch(
                TestRegion.at(index),
                List.of(TestRegion.untagged(put).encoded()),
                CommittedBatch.Results.UNWANTED))
        .toCompletableFuture();
  }

  /**
   * Flushes, with retries: a flush that began on the full disk may fail after there is space again.
   */
  private static Position flushed(RegionStore region) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      try {
        return region.flush().toCompletableFuture().get(60, TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        if (System.nanoTime() - until > 0) {
          throw e;
        }
      }
    }
  }

  private static Key key(int number) {
    return Key.utf8("key" + number);
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException("Check failed: " + what);
    }
  }
}
