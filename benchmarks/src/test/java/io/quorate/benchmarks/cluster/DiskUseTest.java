package io.quorate.benchmarks.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskUseTest {

  @Test
  void theSizesOfTheFilesInAllDirectoriesAreAdded(@TempDir Path directory) throws IOException {
    Files.write(directory.resolve("one"), new byte[1000]);
    Files.createDirectories(directory.resolve("log"));
    Files.write(directory.resolve("log").resolve("two"), new byte[234]);

    assertThat(DiskUse.sizeOf(directory)).isEqualTo(1234);
  }
}
