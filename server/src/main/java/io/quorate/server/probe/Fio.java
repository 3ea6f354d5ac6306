package io.quorate.server.probe;

import io.quorate.server.device.DeviceProbe;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Measures the random writes of {@link DeviceProbe} with the program {@code fio}, if there is one.
 */
final class Fio {
  private static final int FILE_MIB = 64;
  private static final int FREE_SPACE_DIVISOR = 32;
  private static final Pattern WRITTEN =
      Pattern.compile("\"write\"\\s*:\\s*\\{.*?\"bw_bytes\"\\s*:\\s*(\\d{1,18})", Pattern.DOTALL);

  private Fio() {}

  /**
   * Measures the device under a directory. Blocks for about the given time, rounded up to seconds.
   * Writes the file of {@link DeviceProbe}, of 64 MiB, and leaves it to the caller.
   *
   * @return bytes a second; empty if there is no such program, it cannot measure this device, or
   *     less than 2 GiB are free
   */
  static OptionalLong measure(Path directory, Duration time)
      throws IOException, InterruptedException {
    long free = Files.getFileStore(directory).getUsableSpace();
    if (free / FREE_SPACE_DIVISOR < (long) FILE_MIB << 20) {
      return OptionalLong.empty();
    }
    Process process;
    try {
      process =
          new ProcessBuilder(command(time))
              // In the command line, a colon in the name of a directory separates names.
              .directory(directory.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
    } catch (IOException e) {
      // There is no such program.
      return OptionalLong.empty();
    }
    try {
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return process.waitFor() == 0 ? bytesPerSecond(output) : OptionalLong.empty();
    } finally {
      process.destroy();
    }
  }

  private static List<String> command(Duration time) {
    return List.of(
        "fio",
        "--name=quorate",
        "--filename=" + DeviceProbe.FILE,
        "--rw=randwrite",
        "--bs=8m",
        "--size=" + FILE_MIB + "m",
        "--ioengine=psync",
        "--direct=1",
        "--end_fsync=1",
        "--refill_buffers",
        "--time_based",
        "--runtime=" + time.plusMillis(999).toSeconds(),
        "--output-format=json");
  }

  /** The bandwidth of writes in the JSON output of the program. */
  static OptionalLong bytesPerSecond(String output) {
    Matcher matcher = WRITTEN.matcher(output);
    return matcher.find()
        ? OptionalLong.of(Long.parseLong(matcher.group(1)))
        : OptionalLong.empty();
  }
}
