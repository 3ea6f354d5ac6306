package io.quorate.server.device;

import io.quorate.common.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of calibration points. Each line has the two speeds of a point, in bytes a second and
 * separated by blanks; empty lines and those that begin with {@code #} are comments.
 */
public final class Calibration {
  private static final int FILE_BYTES_MAX = 1 << 20;
  private static final Pattern POINT = Pattern.compile("(\\d{1,18})\\s+(\\d{1,18})");
  private static final String HEADER =
      """
      # Calibration of Quorate, by "quorate probe --calibrate". A line is a device: the bytes a second
      # that it writes, and the bytes of rows a second that the storage engine absorbs on it.
      """;

  private Calibration() {}

  /**
   * Reads the points, in the order of the lines. Blocks.
   *
   * @return empty if the file has only comments
   * @throws IOException if the file cannot be read, has more than 1 MiB, or has a malformed line,
   *     which the message names
   */
  public static List<CalibrationPoint> read(Path file) throws IOException {
    return points(file, text(file));
  }

  /**
   * Adds a point as the last line; creates the file, with a header, if there is none. Blocks.
   * Atomic and durable; of two processes that append at the same time, the point of one may be
   * lost.
   *
   * @throws IOException as {@link #read}, or if the file cannot be written; the file is unchanged
   *     then, or complete and perhaps not durable
   */
  public static void append(Path file, CalibrationPoint point) throws IOException {
    String before = Files.exists(file) ? text(file) : HEADER;
    points(file, before);
    String line = point.deviceBytesPerSecond() + " " + point.kvBytesPerSecond() + "\n";
    String separator = before.isEmpty() || before.endsWith("\n") ? "" : "\n";
    DurableFiles.replace(
        file,
        file.resolveSibling(file.getFileName() + ".draft"),
        ByteBuffer.wrap((before + separator + line).getBytes(StandardCharsets.UTF_8)));
  }

  private static String text(Path file) throws IOException {
    if (Files.size(file) > FILE_BYTES_MAX) {
      throw new IOException(file + " has more than 1 MiB and is no calibration");
    }
    try {
      return Files.readString(file);
    } catch (CharacterCodingException e) {
      throw new IOException(file + " is no text and no calibration", e);
    }
  }

  private static List<CalibrationPoint> points(Path file, String text) throws IOException {
    List<CalibrationPoint> points = new ArrayList<>();
    List<String> lines = text.lines().map(String::strip).toList();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (!line.isEmpty() && !line.startsWith("#")) {
        points.add(point(file, i + 1, line));
      }
    }
    return points;
  }

  private static CalibrationPoint point(Path file, int number, String line) throws IOException {
    Matcher matcher = POINT.matcher(line);
    try {
      if (matcher.matches()) {
        return new CalibrationPoint(
            Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)));
      }
    } catch (IllegalArgumentException e) {
      throw new IOException("Line " + number + " of " + file + ": " + e.getMessage(), e);
    }
    throw new IOException(
        String.format(
            Locale.ROOT,
            "Line %d of %s is not two speeds in bytes a second, as in \"200000000 60000000\"",
            number,
            file));
  }
}
