package io.quorate.server.probe;

import io.quorate.common.FileErrors;
import io.quorate.common.ShutdownHook;
import io.quorate.server.cli.format.ByteSizes;
import io.quorate.server.cli.format.JsonText;
import io.quorate.server.cli.format.TextTable;
import io.quorate.server.cli.terminal.ExitCode;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.cli.terminal.Terminal;
import io.quorate.server.cli.verb.ClientVerb.DurationConverter;
import io.quorate.server.device.Calibration;
import io.quorate.server.device.CalibrationPoint;
import io.quorate.server.device.DeviceProbe;
import io.quorate.server.device.DeviceSpeed;
import io.quorate.server.device.SpeedCurve;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.DoubleConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code probe}: measures a device, and estimates or measures the storage engine on it. */
@Command(
    name = "probe",
    mixinStandardHelpOptions = true,
    description = {
      "Measure the device under a directory, and estimate how fast the storage engine is on it.",
      "Writes at most 64 MiB, and with --calibrate at most a quarter of the free space, into"
          + " temporary files, which are removed. A node may run there; the two slow each other down."
    })
public final class ProbeCommand implements Callable<Integer> {
  static final Path CALIBRATION = Path.of("quorate.calibration");

  private static final Duration TIME_MIN = Duration.ofMillis(100);
  private static final Duration TIME_MAX = Duration.ofMinutes(5);
  private static final int BAR_WIDTH = 30;

  private final Terminal terminal;

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "DIR", description = "A directory on the device.")
  private Path directory;

  @Option(
      names = "--time",
      paramLabel = "TIME",
      defaultValue = "5s",
      converter = DurationConverter.class,
      description = "How long each measurement takes: 500ms, 5s, 1m (default: 5s).")
  private Duration time;

  @Option(
      names = "--calibrate",
      description = "Measure the storage engine too, and add the result to the calibration.")
  private boolean calibrate;

  @Option(
      names = "--calibration",
      paramLabel = "FILE",
      description =
          "The measurements of all devices, from which the estimate is made (default:"
              + " quorate.calibration in the working directory, or built-in ones if there is no such"
              + " file).")
  private Optional<Path> calibration = Optional.empty();

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  /**
   * Everything that was measured, in bytes a second.
   *
   * @param kvMeasured empty without {@code --calibrate}
   * @param fio empty if the program is missing or cannot measure this device
   */
  private record Measured(DeviceSpeed device, OptionalLong kvMeasured, OptionalLong fio) {}

  public ProbeCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    if (time.compareTo(TIME_MIN) < 0 || time.compareTo(TIME_MAX) > 0) {
      throw new ParameterException(spec.commandLine(), "--time is from 100ms to 5m.");
    }
    try {
      run();
      return ExitCode.OK.code();
    } catch (IOException e) {
      terminal.err().println(FileErrors.describe(e) + ".");
      return ExitCode.USAGE.code();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      terminal.err().println("Interrupted.");
      return ExitCode.UNAVAILABLE.code();
    } finally {
      terminal.out().flush();
    }
  }

  private void run() throws IOException, InterruptedException {
    // Before minutes of measuring, whose result could not be added to a malformed file.
    List<CalibrationPoint> before = points();
    ShutdownHook onSignal = new ShutdownHook("probe-interrupted", this::removeLeftovers);
    onSignal.register();
    Measured measured;
    try {
      measured = measure();
    } finally {
      onSignal.close();
    }
    if (measured.kvMeasured().isPresent()) {
      Calibration.append(
          file(),
          new CalibrationPoint(
              measured.device().bytesPerSecond(), measured.kvMeasured().getAsLong()));
    }
    List<CalibrationPoint> points = calibrate ? points() : before;
    SpeedCurve curve = points.isEmpty() ? SpeedCurve.DEFAULT : SpeedCurve.of(points);
    String report =
        json
            ? JsonText.of(members(measured, curve)) + "\n"
            : table(measured, curve, points.isEmpty())
                + "\n"
                + CurvePlot.of(curve, measured.device().bytesPerSecond());
    terminal.out().print(report);
  }

  private Measured measure() throws IOException, InterruptedException {
    DeviceSpeed device;
    OptionalLong fio;
    OptionalLong kvSpeed = OptionalLong.empty();
    try (ProgressLine line = new ProgressLine(terminal.err(), terminal.isInteractive())) {
      device = DeviceProbe.measure(directory, time, progress(line, "writes"));
      line.show(() -> "writes, with fio if there is one");
      fio = fio();
      if (calibrate) {
        kvSpeed = OptionalLong.of(EngineSpeed.measure(directory, time, progress(line, "rows")));
      }
    }
    return new Measured(device, kvSpeed, fio);
  }

  private OptionalLong fio() throws IOException, InterruptedException {
    try {
      return Fio.measure(directory, time);
    } finally {
      DeviceProbe.removeLeftovers(directory);
    }
  }

  private static DoubleConsumer progress(ProgressLine line, String what) {
    return part ->
        line.show(
            () -> String.format(Locale.ROOT, "%-6s %s", what, ProgressLine.bar(part, BAR_WIDTH)));
  }

  /** Best effort: the measurement may still write meanwhile. */
  private void removeLeftovers() {
    try {
      DeviceProbe.removeLeftovers(directory);
      EngineSpeed.removeLeftovers(directory);
    } catch (IOException e) {
      terminal.err().println("\nTemporary files are left; the next probe there removes them.");
    }
  }

  private Path file() {
    return calibration.orElse(CALIBRATION);
  }

  private List<CalibrationPoint> points() throws IOException {
    boolean isOptional = calibration.isEmpty() || calibrate;
    return isOptional && !Files.exists(file()) ? List.of() : Calibration.read(file());
  }

  private String table(Measured measured, SpeedCurve curve, boolean isBuiltIn) {
    DeviceSpeed device = measured.device();
    TextTable table =
        TextTable.ofTexts("measured", "result", "")
            .add("writes", rate(device.bytesPerSecond()), "at random, in blocks of 8 MiB");
    measured.fio().ifPresent(fio -> table.add("writes by fio", rate(fio), "the same"));
    table.add(
        "fsyncs",
        String.format(Locale.ROOT, "%,d/s", device.syncsPerSecond()),
        "each after a write of 4 KiB");
    measured.kvMeasured().ifPresent(speed -> table.add("rows", rate(speed), "added to " + file()));
    return table
        .add(
            "rows",
            rate(curve.kvBytesPerSecond(device.bytesPerSecond())),
            "estimated from "
                + (isBuiltIn ? "built-in points" : curve.points().size() + " in " + file()))
        .render();
  }

  private Map<String, Object> members(Measured measured, SpeedCurve curve) {
    DeviceSpeed device = measured.device();
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("directory", directory.toString());
    members.put("bytesPerSecond", device.bytesPerSecond());
    members.put("syncsPerSecond", device.syncsPerSecond());
    members.put("fioBytesPerSecond", boxed(measured.fio()));
    members.put("kvBytesPerSecond", curve.kvBytesPerSecond(device.bytesPerSecond()));
    members.put("kvMeasuredBytesPerSecond", boxed(measured.kvMeasured()));
    members.put("calibrationPoints", curve.points().size());
    return members;
  }

  private static Optional<Long> boxed(OptionalLong value) {
    return value.isPresent() ? Optional.of(value.getAsLong()) : Optional.empty();
  }

  private static String rate(long bytesPerSecond) {
    return ByteSizes.text(bytesPerSecond) + "/s";
  }
}
