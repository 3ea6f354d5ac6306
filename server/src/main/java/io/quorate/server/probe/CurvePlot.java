package io.quorate.server.probe;

import io.quorate.server.cli.format.ByteSizes;
import io.quorate.server.device.CalibrationPoint;
import io.quorate.server.device.SpeedCurve;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.LongStream;

/**
 * Draws a {@link SpeedCurve} as text, with logarithmic axes: the curve in Braille dots, its
 * calibration points as {@code o}, and one device as {@code X}.
 */
final class CurvePlot {
  private static final int COLUMNS = 60;
  private static final int ROWS = 16;
  private static final int DOTS_ACROSS = 2;
  private static final int DOTS_DOWN = 4;
  private static final char BRAILLE = '\u2800';

  /** The bits of the dots of a Braille character, from the top down, in its two columns. */
  private static final int[][] DOT_BITS = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};

  /** Space between the outermost points and the frame, as a factor. */
  private static final double MARGIN = 1.5;

  private final SpeedCurve curve;
  private final long device;
  private final Axis across;
  private final Axis up;
  private final char[][] cells = new char[ROWS][COLUMNS];

  /** A logarithmic axis in bytes a second. */
  private record Axis(long from, long to) {
    static Axis around(LongStream speeds) {
      long[] all = speeds.sorted().toArray();
      return new Axis(
          Math.max(1, (long) (all[0] / MARGIN)), (long) (all[all.length - 1] * MARGIN) + 1);
    }

    /** The place of a speed, one of {@code places}. */
    int place(long speed, int places) {
      double part = Math.log((double) speed / from) / Math.log((double) to / from);
      return Math.min(places - 1, Math.max(0, (int) (part * places)));
    }

    /** The speed in the middle of a place. */
    long speed(int place, int places) {
      return Math.round(from * Math.pow((double) to / from, (place + 0.5) / places));
    }
  }

  private CurvePlot(SpeedCurve curve, long device) {
    this.curve = curve;
    this.device = device;
    this.across =
        Axis.around(
            LongStream.concat(
                LongStream.of(device),
                curve.points().stream().mapToLong(CalibrationPoint::deviceBytesPerSecond)));
    this.up =
        Axis.around(
            LongStream.concat(
                LongStream.of(across.from(), across.to()).map(curve::kvBytesPerSecond),
                curve.points().stream().mapToLong(CalibrationPoint::kvBytesPerSecond)));
  }

  /**
   * Draws the plot, 75 columns wide and 19 lines high; every line ends with a line feed.
   *
   * @param deviceBytesPerSecond the device to mark, at least 1
   */
  static String of(SpeedCurve curve, long deviceBytesPerSecond) {
    CurvePlot plot = new CurvePlot(curve, deviceBytesPerSecond);
    plot.drawCurve();
    plot.mark(curve.points());
    return plot.framed();
  }

  private void drawCurve() {
    for (char[] row : cells) {
      Arrays.fill(row, BRAILLE);
    }
    int height = ROWS * DOTS_DOWN;
    int before = -1;
    for (int x = 0; x < COLUMNS * DOTS_ACROSS; x++) {
      long speed = across.speed(x, COLUMNS * DOTS_ACROSS);
      int y = up.place(curve.kvBytesPerSecond(speed), height);
      // No gaps where the curve is steep.
      for (int each = before < 0 ? y : Math.min(y, before + 1); each <= y; each++) {
        dot(x, height - 1 - each);
      }
      before = y;
    }
  }

  private void dot(int x, int y) {
    cells[y / DOTS_DOWN][x / DOTS_ACROSS] |= (char) DOT_BITS[x % DOTS_ACROSS][y % DOTS_DOWN];
  }

  private void mark(List<CalibrationPoint> points) {
    points.forEach(each -> mark('o', each.deviceBytesPerSecond(), each.kvBytesPerSecond()));
    mark('X', device, curve.kvBytesPerSecond(device));
  }

  private void mark(char with, long speed, long kvSpeed) {
    cells[ROWS - 1 - up.place(kvSpeed, ROWS)][across.place(speed, COLUMNS)] = with;
  }

  private String framed() {
    StringBuilder text = new StringBuilder();
    for (int row = 0; row < ROWS; row++) {
      String label = "";
      if (row == 0) {
        label = rate(up.to());
      } else if (row == ROWS - 1) {
        label = rate(up.from());
      }
      String line = new String(cells[row]).replace(BRAILLE, ' ').stripTrailing();
      text.append(String.format(Locale.ROOT, "%13s |%s%n", label, line).replace("\r", ""));
    }
    String from = rate(across.from());
    text.append(" ".repeat(14)).append('+').append("-".repeat(COLUMNS)).append('\n');
    text.append(" ".repeat(15)).append(from);
    text.append(
            String.format(Locale.ROOT, "%" + (COLUMNS - from.length()) + "s", rate(across.to())))
        .append('\n');
    text.append(" ".repeat(15)).append("rows over device writes; X this device, o measured\n");
    return text.toString();
  }

  private static String rate(long bytesPerSecond) {
    return ByteSizes.text(bytesPerSecond) + "/s";
  }
}
