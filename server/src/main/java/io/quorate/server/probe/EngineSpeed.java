package io.quorate.server.probe;

import io.quorate.common.DurableFiles;
import io.quorate.common.Failures;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.storage.RegionStore;
import io.quorate.storage.Storage;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageFailure;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleConsumer;

/**
 * Measures how many bytes of rows a second the storage engine absorbs on a device: applies rows
 * with random keys and incompressible values of 1 KiB as fast as it accepts them, and makes them
 * durable at the end. One thread.
 */
final class EngineSpeed {
  private static final String DIRECTORY = "engine-probe.tmp";
  private static final GroupId REGION = new GroupId(1);
  private static final int KEY_BYTES = 16;
  private static final int VALUE_BYTES = 1024;
  private static final int BATCH_ROWS = 64;

  /** Compaction needs space for the rows a second time, and others need some meanwhile. */
  private static final int FREE_SPACE_DIVISOR = 4;

  private static final long FAILURE_CHECK_MILLIS = 1000;

  private static final long ROW_BYTES_MIN = 128L << 20;

  private final Storage storage;
  private final RegionStore region;
  private final SplittableRandom random = new SplittableRandom();
  private long index;

  private EngineSpeed(Storage storage, RegionStore region) {
    this.storage = storage;
    this.region = region;
  }

  /**
   * Measures the engine with default options, in a temporary directory that is removed. Blocks for
   * the given time, and then until the rows are durable. Compaction that is left then is not waited
   * for, so that a short measurement shows a somewhat higher speed than a long one. Writes at most
   * a quarter of the free space, and ends earlier if that is reached.
   *
   * @param progress receives the part of the time that has passed, from 0 to 1, on this thread
   * @return bytes of keys and values a second, at least 1
   * @throws IOException if the directory cannot be written, less than 512 MiB are free, or the
   *     engine fails; the temporary directory is removed then too, if that is possible
   */
  static long measure(Path directory, Duration time, DoubleConsumer progress)
      throws IOException, InterruptedException {
    removeLeftovers(directory);
    long bytesMax = Files.getFileStore(directory).getUsableSpace() / FREE_SPACE_DIVISOR;
    if (bytesMax < ROW_BYTES_MIN) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "The storage engine cannot be measured in %s, because less than %d MiB are free",
              directory,
              ROW_BYTES_MIN * FREE_SPACE_DIVISOR >> 20));
    }
    try (Storage storage =
        Storage.open(directory.resolve(DIRECTORY), StorageOptions.DEFAULT, MetricsSink.NONE)) {
      RegionStore region = storage.region(REGION, KeyRange.ALL, Keyspace.DATA);
      region.open();
      return new EngineSpeed(storage, region).run(time, bytesMax, progress);
    } finally {
      removeLeftovers(directory);
    }
  }

  /**
   * Removes the directory of a measurement whose process was killed. Blocks.
   *
   * @throws IOException if it cannot be removed completely
   */
  static void removeLeftovers(Path directory) throws IOException {
    DurableFiles.deleteTree(directory.resolve(DIRECTORY));
  }

  private long run(Duration time, long bytesMax, DoubleConsumer progress)
      throws IOException, InterruptedException {
    long began = System.nanoTime();
    long bytes = 0;
    double part;
    do {
      await(region.committed(batch()));
      bytes += (long) BATCH_ROWS * (KEY_BYTES + VALUE_BYTES);
      part = (double) (System.nanoTime() - began) / time.toNanos();
      progress.accept(Math.min(1, part));
    } while (part < 1 && bytes < bytesMax);
    await(region.awaitReadable(position()));
    await(region.flush());
    return Math.max(1, Math.round(bytes / ((System.nanoTime() - began) / 1e9)));
  }

  private CommittedBatch batch() {
    index++;
    List<ByteBuffer> commands = new ArrayList<>(BATCH_ROWS);
    for (int i = 0; i < BATCH_ROWS; i++) {
      byte[] key = new byte[KEY_BYTES];
      byte[] value = new byte[VALUE_BYTES];
      random.nextBytes(key);
      random.nextBytes(value);
      Operation put = new Operation.Put(Key.wrap(key), ByteBuffer.wrap(value));
      commands.add(new ClientCommand(RequestId.NONE, put).encoded());
    }
    return new CommittedBatch(position(), commands, CommittedBatch.Results.UNWANTED);
  }

  private Position position() {
    return new Position(1, index);
  }

  /** Waits, but not for a device on which nothing can be stored: the engine retries for ever. */
  private void await(CompletionStage<?> stage) throws IOException, InterruptedException {
    while (true) {
      try {
        stage.toCompletableFuture().get(FAILURE_CHECK_MILLIS, TimeUnit.MILLISECONDS);
        return;
      } catch (TimeoutException e) {
        List<StorageFailure> failures = storage.failures();
        if (!failures.isEmpty()) {
          String sentence = failures.get(0).message();
          throw new IOException(
              "The storage engine failed: " + sentence.replaceFirst("\\.$", ""), e);
        }
      } catch (ExecutionException e) {
        throw new IOException("The storage engine failed: " + Failures.unwrap(e).getMessage(), e);
      }
    }
  }
}
