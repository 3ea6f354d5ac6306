package io.quorate.server.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CalibrationTest {
  private static final CalibrationPoint SLOW = new CalibrationPoint(60_000_000, 20_000_000);
  private static final CalibrationPoint FAST = new CalibrationPoint(2_500_000_000L, 100_000_000);

  @TempDir private Path directory;
  private Path file;

  @BeforeEach
  void nameTheFile() {
    file = directory.resolve("calibration");
  }

  @Test
  void pointsAreAppendedToAFileWithAHeader() throws IOException {
    Calibration.append(file, FAST);
    Calibration.append(file, SLOW);

    assertThat(Calibration.read(file)).containsExactly(FAST, SLOW);
    assertThat(Files.readAllLines(file)).first().asString().startsWith("# ");
    assertThat(directory.toFile().list()).containsExactly("calibration");
  }

  @Test
  void commentsStay() throws IOException {
    Files.writeString(file, "\n # of rack 7\n 60000000\t20000000 \n#the end");
    Calibration.append(file, FAST);

    assertThat(Calibration.read(file)).containsExactly(SLOW, FAST);
    assertThat(file).content().startsWith("\n # of rack 7\n 60000000\t20000000 \n#the end\n");
  }

  @Test
  void aFileWithCommentsOnlyHasNoPoints() throws IOException {
    Files.writeString(file, "# nothing yet\n");
    assertThat(Calibration.read(file)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "fast",
        "1",
        "1 2 3",
        "1,2",
        "-1 2",
        "1.5 2",
        "0 1",
        "1 9999999999999999",
        "1 2 #"
      })
  void aMalformedLineIsNamedAndNothingIsAppended(String line) throws IOException {
    String text = "# a header\n" + line + "\n";
    Files.writeString(file, text);

    assertThatThrownBy(() -> Calibration.read(file))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith("Line 2 of " + file);
    assertThatThrownBy(() -> Calibration.append(file, FAST)).isInstanceOf(IOException.class);
    assertThat(file).hasContent(text);
  }

  @Test
  void whatIsNoTextIsRejected() throws IOException {
    Files.write(file, new byte[] {(byte) 0xff, (byte) 0xfe});
    assertThatThrownBy(() -> Calibration.read(file))
        .hasMessage(file + " is no text and no calibration");

    Files.write(file, new byte[(1 << 20) + 1]);
    assertThatThrownBy(() -> Calibration.read(file)).hasMessageContaining("more than 1 MiB");
  }

  @Test
  void aMissingFileIsReported() {
    assertThatThrownBy(() -> Calibration.read(file)).isInstanceOf(NoSuchFileException.class);
  }
}
