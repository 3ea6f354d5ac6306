package io.quorate.storage.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.FileErrors;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database with damaged or missing files does not open, and says what to do. */
class DamagedDatabaseTest {
  private static final byte[] KEY = {1};

  @TempDir private Path directory;

  @BeforeEach
  void create() throws IOException {
    try (Database database = Database.open(directory, StorageOptions.DEFAULT)) {
      try (DatabaseBatch batch = database.batch()) {
        batch.put(Family.DATA, KEY, KEY);
        database.write(batch);
      }
      database.flush();
    }
  }

  @Test
  void aMissingTableIsReported() throws IOException {
    Files.delete(table());
    requireRefused(directory.toString());
  }

  @Test
  void aDamagedEndOfATableIsReported() throws IOException {
    byte[] content = Files.readAllBytes(table());
    content[content.length - 5] ^= 4;
    Files.write(table(), content);
    requireRefused(directory.toString());
  }

  @Test
  void aMissingListOfFilesIsReported() throws IOException {
    Files.delete(first("MANIFEST-.*"));
    requireRefused(directory.toString());
  }

  @Test
  void aMissingNameOfTheListIsReported() throws IOException {
    Files.delete(directory.resolve("CURRENT"));
    requireRefused(directory.resolve("CURRENT").toString());
  }

  /** The process may end between the first list and its name. */
  @Test
  void anInterruptedCreationIsRepeated() throws IOException {
    Path created = directory.resolve("created");
    Files.createDirectory(created);
    Files.write(created.resolve("MANIFEST-000001"), new byte[] {1, 2, 3});
    Database.open(created, StorageOptions.DEFAULT).close();
    assertThat(created.resolve("CURRENT")).exists();
  }

  @Test
  void aDamagedNameOfTheListIsReported() throws IOException {
    Path current = directory.resolve("CURRENT");
    int length = (int) Files.size(current);
    byte[] notText = new byte[length];
    Arrays.fill(notText, (byte) 0xff);
    for (byte[] content :
        List.of(
            new byte[length], new byte[0], notText, "../x\n".getBytes(StandardCharsets.UTF_8))) {
      Files.write(current, content);
      requireRefused(current.toString());
    }
    Files.delete(current);
    Files.createDirectory(current);
    requireRefused(current.toString());
  }

  /** Not damage: nothing has to be restored. */
  @Test
  void aDatabaseInUseIsNotCalledDamaged() throws IOException {
    Database open = Database.open(directory, StorageOptions.DEFAULT);
    try (open) {
      assertThatThrownBy(() -> Database.open(directory, StorageOptions.DEFAULT))
          .hasMessageContaining("lock")
          .hasMessageNotContaining(FileErrors.REMEDY);
    }
  }

  private void requireRefused(String name) {
    assertThatThrownBy(() -> Database.open(directory, StorageOptions.DEFAULT))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(name)
        .hasMessageContaining(FileErrors.REMEDY);
  }

  private Path table() throws IOException {
    return first(".*\\.sst");
  }

  private Path first(String name) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().matches(name))
          .min(Comparator.naturalOrder())
          .orElseThrow();
    }
  }
}
