package io.quorate.storage.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** RocksDB's own log, which only comparisons have: what is durable does not depend on it. */
class DamagedWalTest {
  private static final StorageOptions OPTIONS =
      StorageOptions.DEFAULT.toBuilder().wal(StorageOptions.Wal.ON).build();
  private static final int ROWS = 4;
  private static final int HEADER_BYTES = 7;
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir private Path directory;

  private static byte[] row(int row) {
    return ("row" + row).getBytes(StandardCharsets.UTF_8);
  }

  /** RocksDB 11.8.1 does not end to read a list of files of which the type of a record changed. */
  @Test
  void aDatabaseOpensWithTheRowsBeforeADamagedRecord() throws Exception {
    Path intact = directory.resolve("intact");
    write(intact);
    byte[] content = Files.readAllBytes(log(intact));
    for (int at = 0; at < HEADER_BYTES; at++) {
      for (int bit = 0; bit < Byte.SIZE; bit++) {
        Path changed = directory.resolve("changed-" + at + "-" + bit);
        copy(intact, changed);
        byte[] bytes = content.clone();
        bytes[at] ^= (byte) (1 << bit);
        Files.write(log(changed), bytes);
        int found =
            CompletableFuture.supplyAsync(() -> rows(changed))
                .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        assertThat(found).as("byte %d, bit %d", at, bit).isBetween(0, ROWS);
      }
    }
  }

  private static void write(Path into) throws IOException {
    // It is not closed before it is copied, which would flush it.
    Path open = into.resolveSibling("open");
    try (Database database = Database.open(open, OPTIONS)) {
      for (int row = 0; row < ROWS; row++) {
        try (DatabaseBatch batch = database.batch()) {
          batch.put(Family.META, row(row), row(row));
          database.write(batch);
        }
      }
      copy(open, into);
    }
  }

  private static int rows(Path from) {
    try (Database database = Database.open(from, OPTIONS)) {
      int count = 0;
      boolean missing = false;
      for (int row = 0; row < ROWS; row++) {
        Optional<byte[]> value = database.get(Family.META, row(row));
        assertThat(value.isPresent() && missing).as("a row after one that is missing").isFalse();
        missing |= value.isEmpty();
        count += value.isPresent() ? 1 : 0;
      }
      return count;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path log(Path database) throws IOException {
    try (Stream<Path> files = Files.list(database)) {
      return files
          .filter(file -> file.getFileName().toString().matches("\\d+\\.log"))
          .filter(file -> file.toFile().length() > 0)
          .findFirst()
          .orElseThrow();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      List<Path> all = files.toList();
      for (Path file : all) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }
}
