package io.quorate.server.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.device.Calibration;
import io.quorate.server.device.CalibrationPoint;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ProbeCommandTest {
  private static final int USAGE = 2;

  @TempDir private Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private Path device;
  private Path calibration;

  @BeforeEach
  void createADirectory() throws IOException {
    device = Files.createDirectory(directory.resolve("device"));
    calibration = directory.resolve("calibration");
  }

  private int probe(String... options) {
    Terminal terminal =
        new Terminal(
            InputStream.nullInputStream(),
            new PrintStream(out, false, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false);
    CommandLine command = new CommandLine(new ProbeCommand(terminal));
    terminal.attach(command);
    return command.execute(options);
  }

  private String output() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private void assertOneSentence(String part) {
    assertThat(err.toString(StandardCharsets.UTF_8).strip())
        .contains(part)
        .endsWith(".")
        .doesNotContain("..", "\n");
  }

  private long number(String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\": (\\d+)").matcher(output());
    assertThat(matcher.find()).as(name + " in " + output()).isTrue();
    return Long.parseLong(matcher.group(1));
  }

  @Test
  void theDeviceIsMeasuredAndDrawn() throws IOException {
    Calibration.append(calibration, new CalibrationPoint(100_000_000, 40_000_000));

    assertThat(probe(device.toString(), "--time=200ms", "--calibration=" + calibration)).isZero();

    assertThat(output())
        .contains("at random, in blocks of 8 MiB")
        .contains("each after a write of 4 KiB")
        .contains("estimated from 1 in " + calibration)
        .contains("X this device, o measured");
    assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    assertThat(device).isEmptyDirectory();
  }

  @Test
  void calibrationMeasuresTheEngineAndAddsAPoint() throws IOException {
    // As of a killed process.
    Files.createDirectories(device.resolve("engine-probe.tmp").resolve("db"));

    int code =
        probe(
            device.toString(),
            "--time=300ms",
            "--calibrate",
            "--calibration=" + calibration,
            "--json");

    assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isZero();
    List<CalibrationPoint> points = Calibration.read(calibration);
    assertThat(points)
        .containsExactly(
            new CalibrationPoint(number("bytesPerSecond"), number("kvMeasuredBytesPerSecond")));
    assertThat(number("syncsPerSecond")).isPositive();
    // The curve passes through its only point, but for rounding.
    assertThat(number("kvBytesPerSecond") - number("kvMeasuredBytesPerSecond")).isBetween(-1L, 1L);
    assertThat(number("calibrationPoints")).isEqualTo(1);
    assertThat(device).isEmptyDirectory();
  }

  @Test
  void errorsAreOneSentence() throws IOException {
    assertThat(probe(directory.resolve("none").toString())).isEqualTo(USAGE);
    assertOneSentence("none: no such file or directory");
    err.reset();
    assertThat(probe(device.toString(), "--calibration=" + calibration)).isEqualTo(USAGE);
    assertOneSentence("calibration: no such file or directory");
    err.reset();
    Files.writeString(calibration, "fast\n");
    assertThat(probe(device.toString(), "--calibrate", "--calibration=" + calibration))
        .isEqualTo(USAGE);
    assertOneSentence("Line 1 of " + calibration);
    assertThat(output()).isEmpty();
  }
}
