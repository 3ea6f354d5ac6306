package io.quorate.ratis.patches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.DamagedLogException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * A file in which a change must be noticed.
 *
 * @param inspection reads the file
 */
record AlteredFile(Path path, ThrowingCallable inspection) {
  /** Requires that other content is refused with the file's name, and stays. */
  void requireRefused(byte[] content) throws IOException {
    Files.write(path, content);
    assertThatThrownBy(inspection)
        .isInstanceOf(DamagedLogException.class)
        .hasMessageContaining(path.toString());
    assertThat(path).hasBinaryContent(content);
  }

  void requireEveryChangedBitRefused() throws IOException {
    byte[] content = Files.readAllBytes(path);
    for (int bit = 0; bit < content.length * Byte.SIZE; bit++) {
      byte[] changed = content.clone();
      changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      requireRefused(changed);
    }
  }

  void requireEveryOtherLengthRefused() throws IOException {
    byte[] content = Files.readAllBytes(path);
    for (int length = 0; length < content.length; length++) {
      requireRefused(Arrays.copyOf(content, length));
      requireRefused(Arrays.copyOfRange(content, content.length - length, content.length));
    }
    requireRefused(Arrays.copyOf(content, content.length + 1));
  }
}
