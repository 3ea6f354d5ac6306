package io.quorate.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.Operation;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.rocks.Compaction;
import io.quorate.storage.rocks.Family;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values in blob files, apart from the keys. */
class BlobFilesTest {
  private static final String BLOBS = ".blob";
  private static final String TABLES = ".sst";
  private static final int KEYS = 1000;
  private static final int VALUE_BYTES = 4 << 10;
  private static final long ALL_BYTES = (long) KEYS * VALUE_BYTES;

  private static final StorageOptions NO_BLOBS =
      TestRegion.OPTIONS.toBuilder().blobBytesMin(0).build();

  @TempDir Path directory;

  /** Not compressible. */
  private final Random random = new Random(1);

  private static String name(int number) {
    return "key%04d".formatted(number);
  }

  private Operation put(int number, int bytes) {
    byte[] value = new byte[bytes];
    random.nextBytes(value);
    return new Operation.Put(Key.utf8(name(number)), ByteBuffer.wrap(value));
  }

  private void putAll(TestRegion region) {
    for (int i = 0; i < KEYS; i++) {
      region.apply(put(i, VALUE_BYTES));
    }
    region.flush();
  }

  private void putHalf(TestRegion region) {
    for (int i = 0; i < KEYS / 2; i++) {
      region.apply(put(random.nextInt(KEYS), VALUE_BYTES));
    }
    region.flush();
  }

  private long bytesIn(String suffix) {
    try (Stream<Path> files = Files.list(directory.resolve("db"))) {
      return files.filter(file -> file.toString().endsWith(suffix)).mapToLong(this::size).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** RocksDB deletes files while they are listed. */
  private long size(Path file) {
    try {
      return Files.size(file);
    } catch (IOException e) {
      return 0;
    }
  }

  @Test
  void onlyValuesFromTheMinimumSizeOnAreInBlobFiles() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      for (int i = 0; i < 100; i++) {
        region.apply(put(i, 1000));
      }
      region.flush();
      assertThat(bytesIn(BLOBS)).isZero();

      for (int i = 0; i < 100; i++) {
        region.apply(put(i, 1024));
      }
      region.flush();
      assertThat(bytesIn(BLOBS)).isBetween(100L * 1024, 110L * 1024);
    }
  }

  @Test
  void aChangedSettingAppliesToNewFilesAndOldOnesStayReadable() throws IOException {
    try (TestRegion region = TestRegion.open(directory, NO_BLOBS)) {
      region.apply(put(1, VALUE_BYTES), put(2, VALUE_BYTES));
      region.flush();
      assertThat(bytesIn(BLOBS)).isZero();
    }
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put(2, VALUE_BYTES), put(3, VALUE_BYTES));
      region.flush();
      assertThat(bytesIn(BLOBS)).isBetween(2L * VALUE_BYTES, 3L * VALUE_BYTES);
      assertThat(region.rows()).containsOnlyKeys(name(1), name(2), name(3));
    }
    try (TestRegion region = TestRegion.open(directory, NO_BLOBS)) {
      for (int i = 1; i <= 3; i++) {
        assertThat(region.store.get(Key.utf8(name(i))).orElseThrow()).hasSize(VALUE_BYTES);
      }
      assertThat(region.rows()).containsOnlyKeys(name(1), name(2), name(3));
    }
  }

  @Test
  void theSpaceOfOverwrittenValuesIsGivenBack() throws Exception {
    StorageOptions options =
        TestRegion.OPTIONS.toBuilder().flushInterval(Duration.ofMillis(100)).build();
    try (TestRegion region = TestRegion.open(directory, options)) {
      putAll(region);
      for (int i = 0; i < 20; i++) {
        putHalf(region);
      }
      // Only compactions find what is overwritten.
      Compaction.run(region.storage.database(), Family.DATA);
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(bytesIn(BLOBS) + bytesIn(TABLES))
                      .isBetween(ALL_BYTES, 5 * ALL_BYTES / 2));
      assertThat(region.rows()).hasSize(KEYS);
    }
  }

  @Test
  void theSpaceOfARemovedRangeIsGivenBack() throws Exception {
    try (TestRegion region = TestRegion.open(directory)) {
      putAll(region);
      region.storage.remove(TestRegion.GROUP, KeyRange.ALL, Keyspace.DATA);
      region.storage.database().flush();
      assertThat(bytesIn(BLOBS)).isGreaterThan(ALL_BYTES);

      Compaction.run(region.storage.database(), Family.DATA);

      await().atMost(Duration.ofSeconds(30)).until(() -> bytesIn(BLOBS) == 0);
    }
  }

  @Test
  void theSizeOfARegionCountsLiveValues() throws Exception {
    try (TestRegion region = TestRegion.open(directory)) {
      putAll(region);
      assertThat(region.store.rowBytes()).isBetween(ALL_BYTES, 5 * ALL_BYTES / 4);
      assertThat(region.store.middleKey().orElseThrow())
          .isBetween(Key.utf8(name(KEYS / 3)), Key.utf8(name(2 * KEYS / 3)));

      putHalf(region);
      putHalf(region);
      Compaction.run(region.storage.database(), Family.DATA);
      assertThat(bytesIn(BLOBS)).as("with garbage").isGreaterThan(3 * ALL_BYTES / 2);
      assertThat(region.store.rowBytes()).isBetween(ALL_BYTES, 5 * ALL_BYTES / 4);
    }
  }

  @Test
  void aFlushedValueIsReadFromTheCache() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put(1, VALUE_BYTES), put(2, VALUE_BYTES));
      region.flush();
      // Reads the block with both keys.
      region.store.get(Key.utf8(name(1)));
      assertThat(region.store.getCached(Key.utf8(name(2))).orElseThrow()).hasSize(VALUE_BYTES);
    }
  }

  @Test
  void aValueIsInTheCacheOnceItWasRead() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put(1, VALUE_BYTES), put(2, VALUE_BYTES));
      region.flush();
    }
    try (TestRegion region = TestRegion.open(directory)) {
      byte[] read = region.store.get(Key.utf8(name(1))).orElseThrow();
      assertThat(region.store.getCached(Key.utf8(name(1)))).contains(read);
      assertThat(region.store.getCached(Key.utf8(name(2)))).as("only its key is cached").isEmpty();
    }
  }

  @Test
  void aDamagedValueIsNotReturned() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put(1, VALUE_BYTES));
      region.flush();
    }
    damage();
    try (TestRegion region = TestRegion.open(directory)) {
      assertThatThrownBy(() -> region.store.get(Key.utf8(name(1))))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("CRC mismatch");
      assertThat(region.store.getCached(Key.utf8(name(1)))).isEmpty();
    }
  }

  /** Changes a byte of the value in the only blob file. */
  private void damage() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("db"))) {
      Path file = files.filter(each -> each.toString().endsWith(BLOBS)).findFirst().orElseThrow();
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length / 2] ^= 1;
      Files.write(file, bytes);
    }
  }
}
