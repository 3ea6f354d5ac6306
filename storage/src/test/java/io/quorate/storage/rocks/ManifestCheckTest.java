package io.quorate.storage.rocks;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManifestCheckTest {
  /** Checksum, length and type. */
  private static final int HEADER_BYTES = 7;

  @TempDir private Path directory;
  private Path manifest;
  private byte[] content;

  /** Creates a database, and flushes it, so that the list has several records. */
  @BeforeEach
  void create() throws IOException {
    try (Database database = Database.open(directory, StorageOptions.DEFAULT)) {
      database.flush();
    }
    manifest = directory.resolve(Files.readString(directory.resolve("CURRENT")).strip());
    content = Files.readAllBytes(manifest);
  }

  @Test
  void whatRocksWroteIsIntact() throws IOException {
    ManifestCheck.check(directory);
    ManifestCheck.check(directory.resolve("none"));
  }

  /**
   * But the length of the last record, which cannot be told from an interrupted write if it becomes
   * larger.
   */
  @Test
  void everyChangedBitIsNoticed() throws IOException {
    int last = lastRecord();
    for (int bit = 0; bit < content.length * Byte.SIZE; bit++) {
      int at = bit / Byte.SIZE;
      if (at == last + 4 || at == last + 5) {
        continue;
      }
      byte[] changed = content.clone();
      changed[at] ^= (byte) (1 << bit % Byte.SIZE);
      requireRefused(changed);
    }
  }

  /** RocksDB 11.8.1 would not end. */
  @Test
  void aDatabaseWithARecordOfALogDoesNotOpen() throws IOException {
    content[recordAfter(recordAfter(0)) + HEADER_BYTES - 1] = 5;
    Files.write(manifest, content);
    assertThatThrownBy(() -> Database.open(directory, StorageOptions.DEFAULT))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(manifest.toString());
  }

  /** RocksDB would drop the records after it, and open the database with former files. */
  @Test
  void aRecordThatSeemsToEndBeyondTheFileIsNoticed() throws IOException {
    content[recordAfter(0) + 5] = 0x40;
    requireRefused(content);
  }

  @Test
  void anInterruptedWriteAtTheEndIsNoDamage() throws IOException {
    for (int length = lastRecord(); length < content.length; length++) {
      Files.write(manifest, Arrays.copyOf(content, length));
      ManifestCheck.check(directory);
    }
    Files.write(manifest, Arrays.copyOf(content, content.length + 100));
    ManifestCheck.check(directory);
  }

  /** The records of a list go on in the next block. */
  @Test
  void allBlocksAreChecked() throws IOException {
    byte[] padded = new byte[(32 << 10) + content.length];
    // A first block whose records are intact, and end where no record fits.
    int at = 0;
    byte[] first = Arrays.copyOf(content, recordAfter(0));
    while (at + first.length <= 32 << 10) {
      System.arraycopy(first, 0, padded, at, first.length);
      at += first.length;
    }
    boolean isFull = (32 << 10) - at < HEADER_BYTES;
    System.arraycopy(content, 0, padded, 32 << 10, content.length);
    if (isFull) {
      Files.write(manifest, padded);
      ManifestCheck.check(directory);
    }
    padded[(32 << 10) + 10] ^= 1;
    requireRefused(padded);
  }

  private int recordAfter(int at) {
    return at
        + HEADER_BYTES
        + Byte.toUnsignedInt(content[at + 4])
        + (Byte.toUnsignedInt(content[at + 5]) << 8);
  }

  private int lastRecord() {
    int at = 0;
    while (recordAfter(at) < content.length) {
      at = recordAfter(at);
    }
    return at;
  }

  private void requireRefused(byte[] changed) throws IOException {
    Files.write(manifest, changed);
    assertThatThrownBy(() -> ManifestCheck.check(directory))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(manifest.toString());
  }
}
