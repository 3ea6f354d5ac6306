package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplicaReadsTest {
  @TempDir private Path directory;

  @AfterEach
  void clearInterruption() {
    Thread.interrupted();
  }

  @Test
  void aFileIsReadUpToItsMaximumLength() throws IOException {
    Path file = Files.write(directory.resolve("file"), new byte[] {1, 2, 3});
    assertThat(ReplicaReads.all(file, 3)).containsExactly(1, 2, 3);
    assertThatThrownBy(() -> ReplicaReads.all(file, 2))
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(file + " has more than 2 bytes");
  }

  @Test
  void whatCannotBeReadIsDamageAndIsNamed() throws IOException {
    Path missing = directory.resolve("missing");
    Path other = Files.createDirectory(directory.resolve("directory"));
    for (Path file : new Path[] {missing, other}) {
      assertThatThrownBy(() -> ReplicaReads.all(file, 3))
          .isInstanceOf(DamagedLogException.class)
          .hasMessageContaining(file + " cannot be read (");
    }
  }

  /** Nothing can be opened, which is not due to the file. */
  @Test
  void aFileInADirectoryThatCannotBeOpenedIsNotDamaged() {
    Path file = directory.resolve("missing").resolve("file");
    assertThatThrownBy(() -> ReplicaReads.all(file, 3))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(DamagedLogException.class)
        .hasMessageContaining(file.toString());
  }

  @Test
  void damageStaysWhatItIs() {
    DamagedLogException damage = new DamagedLogException("of its content");
    assertThat(ReplicaReads.failure(directory.resolve("file"), damage)).isSameAs(damage);
  }
}
