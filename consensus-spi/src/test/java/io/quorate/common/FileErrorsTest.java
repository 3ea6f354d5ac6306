package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileErrorsTest {
  @TempDir Path directory;

  @Test
  void describesTheReason() {
    assertThat(FileErrors.describe(new AccessDeniedException("/etc/x")))
        .isEqualTo("/etc/x: permission denied");
    assertThat(FileErrors.describe(new FileSystemException("/x", null, "Read-only file system")))
        .isEqualTo("/x: Read-only file system");
    assertThat(FileErrors.describe(new IOException("broken pipe"))).isEqualTo("broken pipe");
    assertThat(FileErrors.endOfSentence(new IOException("broken pipe"))).isEqualTo("broken pipe.");
    assertThat(FileErrors.endOfSentence(new IOException("It broke."))).isEqualTo("It broke.");
    assertThat(FileErrors.describe(new IOException())).isEqualTo("java.io.IOException");
  }

  @Test
  void systemErrorsContainNoClassName() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    assertThat(failure(() -> Files.createDirectories(file)))
        .isEqualTo(file + ": it exists already, and is no directory");
    assertThat(failure(() -> Files.createDirectories(file.resolve("below"))))
        .startsWith(file.toString())
        .doesNotContain("Exception");
    assertThat(failure(() -> Files.readString(directory.resolve("gone"))))
        .isEqualTo(directory.resolve("gone") + ": no such file or directory");
  }

  @Test
  void onlyWhatMayBeGoneAtTheNextAttemptIsOfTheEnvironment() {
    IOException full = new FileSystemException("/x", null, "No space left on device");
    assertThat(FileErrors.isOfEnvironment(full)).isTrue();
    assertThat(FileErrors.isOfEnvironment(new IOException("Input/output error"))).isTrue();
    assertThat(FileErrors.isOfEnvironment(new AccessDeniedException("/x"))).isFalse();
    IOException damaged = new IOException("The file /x is damaged: " + FileErrors.REMEDY + ".");
    assertThat(FileErrors.isOfEnvironment(damaged)).isFalse();
    assertThat(FileErrors.isOfEnvironment(new IOException("It cannot start.", damaged))).isFalse();
  }

  private interface Action {
    void run() throws IOException;
  }

  private static String failure(Action action) {
    try {
      action.run();
    } catch (IOException e) {
      return FileErrors.describe(e);
    }
    throw new AssertionError("It succeeded.");
  }
}
