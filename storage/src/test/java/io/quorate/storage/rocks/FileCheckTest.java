package io.quorate.storage.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.storage.options.StorageFailure;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Any changed bit of a table or a blob file is found, and what is as it was written is not. */
class FileCheckTest {
  /** In the fixed part at the end of a table, some bytes have no meaning. */
  private static final int TABLE_FOOTER_BYTES = 53;

  private static final int FLIPS = 150;

  @TempDir private Path directory;

  private Database database;
  private FileCheck check;

  @BeforeEach
  void create() throws IOException {
    database = Database.open(directory, StorageOptions.DEFAULT);
    check = new FileCheck(database);
    write();
  }

  private void write() throws IOException {
    Random random = new Random(1);
    try (DatabaseBatch batch = database.batch()) {
      for (int i = 0; i < 300; i++) {
        // The last one is greater than what the check reads at once.
        byte[] value = new byte[i % 3 == 0 ? 3_000 : i == 299 ? 700_000 : 100];
        random.nextBytes(value);
        batch.put(Family.DATA, new byte[] {(byte) (i >> 8), (byte) i}, value);
        batch.put(Family.SESSIONS, new byte[] {(byte) (i >> 8), (byte) i}, new byte[50]);
      }
      database.write(batch);
    }
    database.flush();
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void whatWasWrittenIsIntact() throws IOException {
    assertThat(check.files()).anyMatch(file -> file.toString().endsWith(".sst"));
    assertThat(check.files()).anyMatch(file -> file.toString().endsWith(".blob"));
    for (Path file : check.files()) {
      assertThat(check.verify(file)).contains(Files.size(file));
    }
  }

  @Test
  void aChangedBitIsFound() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (Path file : check.files()) {
      boolean isTable = file.toString().endsWith(".sst");
      long end = Files.size(file) - (isTable ? TABLE_FOOTER_BYTES : 0);
      for (int i = 0; i < FLIPS; i++) {
        long at = isTable || i % 2 == 0 ? random.nextLong(end) : nearAnEnd(random, end);
        int bit = 1 << random.nextInt(8);
        if (isTable || !isUnchecked(at)) {
          flip(file, at, bit);
          requireDamaged(file, "seed " + seed + ": bit " + bit + " of byte " + at + " of " + file);
          flip(file, at, bit);
        }
      }
      assertThat(check.verify(file)).isPresent();
    }
  }

  private static long nearAnEnd(Random random, long end) {
    long distance = random.nextLong(100);
    return random.nextBoolean() ? distance : end - 1 - distance;
  }

  /** What the header of a blob file has behind its magic number: no reader of a value uses it. */
  private static boolean isUnchecked(long at) {
    return at >= Integer.BYTES && at < 30;
  }

  @Test
  void aFileThatIsShorterOrMissingIsDamaged() throws IOException {
    for (Path file : check.files()) {
      byte[] content = Files.readAllBytes(file);
      for (int bytes : new int[] {content.length - 1, content.length / 2, 1, 0}) {
        try (RandomAccessFile shortened = new RandomAccessFile(file.toFile(), "rw")) {
          shortened.setLength(bytes);
        }
        requireDamaged(file, file + " of " + bytes + " bytes");
      }
      Files.delete(file);
      requireDamaged(file, file + ", which is missing");
    }
  }

  @Test
  void aFileThatACompactionHasRemovedIsLeftOut() throws Exception {
    List<Path> removed = new ArrayList<>(check.files());
    byte[] content = Files.readAllBytes(removed.get(0));
    write();
    for (Family family : List.of(Family.DATA, Family.SESSIONS)) {
      Compaction.run(database, family);
    }
    removed.removeAll(check.files());
    assertThat(removed).isNotEmpty();
    content[10] ^= 1;
    for (Path table : removed) {
      Files.write(table, content);
      assertThat(check.verify(table)).isEmpty();
    }
  }

  private void requireDamaged(Path file, String description) {
    assertThatThrownBy(() -> check.verify(file))
        .as(description)
        .hasMessageContaining(file.getFileName().toString())
        .asInstanceOf(InstanceOfAssertFactories.type(DatabaseException.class))
        .extracting(DatabaseException::kind)
        .isEqualTo(StorageFailure.Kind.CORRUPTION);
  }

  private static void flip(Path file, long at, int bit) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(at);
      int before = bytes.read();
      bytes.seek(at);
      bytes.write(before ^ bit);
    }
  }
}
