package io.quorate.torture.testbed.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DamageTest {
  private static final int WRITTEN = 5_000;

  @TempDir private Path directory;
  private final Random random = new Random(5);
  private final byte[] content = new byte[20_000];
  private Path log;

  @BeforeEach
  void writeALogThatIsLongerThanItsContent() throws IOException {
    Arrays.fill(content, 0, WRITTEN, (byte) 7);
    log = Files.write(directory.resolve("log"), content);
  }

  @Test
  void theTailIsTheEndOfTheWrittenBytes() throws IOException {
    Damage damage = Damage.flipInTail(log, random);

    assertThat(damage.offset()).isBetween(WRITTEN - 2_048L, WRITTEN - 1L);
    assertThat(Files.readAllBytes(log)).isNotEqualTo(content).hasSameSizeAs(content);
    assertThat(damage.undo()).isTrue();
    assertThat(Files.readAllBytes(log)).isEqualTo(content);
  }

  @Test
  void aTruncationEndsWithinTheWrittenBytes() throws IOException {
    Damage damage = Damage.truncate(log, random);

    assertThat(Files.size(log)).isBetween(WRITTEN - 8L, WRITTEN - 1L);
    assertThat(damage.undo()).isTrue();
    assertThat(Files.readAllBytes(log)).isEqualTo(content);
  }

  @Test
  void aFileThatHasChangedIsNotRestored() throws IOException {
    Damage flipped = Damage.flipInTail(log, random);
    Files.write(log, content);
    Damage truncated = Damage.truncate(log, random);
    byte[] after = "something else".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    Files.write(log, after);

    assertThat(flipped.undo()).isFalse();
    assertThat(truncated.undo()).isFalse();
    assertThat(Files.readAllBytes(log)).isEqualTo(after);
  }

  @Test
  void bytesOfAFileThatWasDeletedAreNotFlippedAndItStaysDeleted() throws IOException {
    Files.delete(log);
    assertThatThrownBy(() -> Damage.flipAnywhere(log, random))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(log).doesNotExist();
  }

  @Test
  void onlyFilesWithContentCanBeDamagedAndAllAreRemoved() throws IOException {
    Files.createFile(directory.resolve("empty"));

    assertThat(Damage.filesWithContent(directory)).containsExactly(log);
    assertThat(Damage.removeAll(directory)).isEqualTo(2);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void theNewestLogIsTheOneWrittenLast() throws IOException {
    Path newer = Files.write(directory.resolve("newer"), content);
    Files.setLastModifiedTime(newer, FileTime.fromMillis(System.currentTimeMillis() + 10_000));
    Path small = Files.write(directory.resolve("small"), new byte[10]);
    Files.setLastModifiedTime(small, FileTime.fromMillis(System.currentTimeMillis() + 20_000));

    assertThat(Damage.newestLog(directory)).hasValue(newer);
  }
}
