package io.quorate.server.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.server.device.CalibrationPoint;
import io.quorate.server.device.SpeedCurve;
import java.util.List;
import org.junit.jupiter.api.Test;

class CurvePlotTest {
  private static final int WIDTH_MAX = 75;
  private static final SpeedCurve CURVE =
      SpeedCurve.of(
          List.of(
              new CalibrationPoint(50 << 20, 20 << 20), new CalibrationPoint(800 << 20, 90 << 20)));

  private static List<String> plot(long device) {
    return CurvePlot.of(CURVE, device).lines().toList();
  }

  private static int column(List<String> plot, char mark) {
    return plot.stream().limit(16).mapToInt(line -> line.indexOf(mark)).max().orElseThrow();
  }

  private static int row(List<String> plot, char mark) {
    return plot.stream().map(line -> line.indexOf(mark) >= 0).toList().indexOf(true);
  }

  @Test
  void theDeviceIsOnTheCurveBetweenThePoints() {
    List<String> plot = plot(200 << 20);
    assertThat(plot).hasSize(19).allMatch(line -> line.length() <= WIDTH_MAX);
    String points = String.join("\n", plot.subList(0, 16));
    assertThat(points.chars().filter(each -> each == 'o')).hasSize(2);
    assertThat(points.chars().filter(each -> each == 'X')).hasSize(1);
    // The first o from the top is that of the faster device.
    int faster = plot.get(row(plot, 'o')).indexOf('o');
    assertThat(column(plot, 'X')).isLessThan(faster);
    assertThat(row(plot, 'X')).isGreaterThan(row(plot, 'o'));
  }

  @Test
  void aFasterDeviceIsFartherRightAndHigher() {
    List<String> slow = plot(100 << 20);
    List<String> fast = plot(400 << 20);
    assertThat(column(fast, 'X')).isGreaterThan(column(slow, 'X'));
    assertThat(row(fast, 'X')).isLessThan(row(slow, 'X'));
  }

  @Test
  void theCurveHasNoGaps() {
    List<String> plot = plot(200 << 20);
    for (int column = 15; column < WIDTH_MAX; column++) {
      int at = column;
      assertThat(plot.subList(0, 16))
          .as("column %d", column)
          .anyMatch(line -> line.length() > at && line.charAt(at) != ' ');
    }
  }

  @Test
  void theAxesExtendToADeviceOutsideOfThePoints() {
    assertThat(plot(10 << 20).get(17)).contains("6.7 MiB/s").contains("1.2 GiB/s");
    assertThat(plot(1)).hasSize(19);
    assertThat(plot(Long.MAX_VALUE / 4)).hasSize(19);
  }
}
