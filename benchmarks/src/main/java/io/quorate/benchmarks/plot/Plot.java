package io.quorate.benchmarks.plot;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;

/**
 * Lines in a frame with two axes.
 *
 * @param title of the plot
 * @param note conditions of the measurement, below the title
 * @param x the horizontal axis
 * @param y the vertical axis
 * @param series in the order of the legend; series without points are omitted
 */
public record Plot(String title, String note, Axis x, Axis y, List<Series> series) {
  private static final int WIDTH = 860;
  private static final int HEIGHT = 460;

  /** Twice the resolution of the measures, which are in points of 72 to an inch. */
  private static final int PNG_DPI = 144;

  private static final String SVG_START = "<svg";
  private static final String NO_FONTS =
      "This Java runtime cannot draw text, so there are no plots; install fontconfig and a font.";

  public Plot {
    series = series.stream().filter(each -> !each.points().isEmpty()).toList();
  }

  /**
   * One axis of the frame.
   *
   * @param label with the unit
   * @param names of the values 1, 2 and so on, if the values are not numbers; markers are then not
   *     joined by lines
   */
  public record Axis(String label, Scale scale, List<String> names) {
    public Axis {
      names = List.copyOf(names);
    }

    /** An axis of numbers. */
    public Axis(String label, Scale scale) {
      this(label, scale, List.of());
    }

    /** A horizontal axis of names, whose values are 1, 2 and so on. */
    public static Axis ofNames(String label, List<String> names) {
      return new Axis(label, Scale.LINEAR, names);
    }
  }

  /**
   * One line with its markers.
   *
   * @param name in the legend
   * @param points from the first to the last along the line
   */
  public record Series(String name, PlotColor ink, List<Point> points) {
    public Series {
      points = List.copyOf(points);
    }
  }

  /**
   * One marker, with a bar over the measured values.
   *
   * @param y from {@code yMin} to {@code yMax}
   */
  public record Point(double x, double y, double yMin, double yMax) {}

  /**
   * As an SVG document without a header, so that it can be a part of an HTML page. Texts are
   * outlines, which look the same with any fonts; for browsers and screen readers, the title and
   * the note are also elements.
   *
   * @throws UncheckedIOException if this Java runtime cannot draw text
   */
  public String svg() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      draw(chart -> ChartEncoder.saveChart(chart, bytes, "svg"));
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
    String document = bytes.toString(StandardCharsets.UTF_8);
    int start = document.indexOf(SVG_START);
    int content = document.indexOf('>', start) + 1;
    return document.substring(start, content)
        + ("\n  <title>" + escaped(title) + "</title>\n  <desc>" + escaped(note) + "</desc>")
        + document.substring(content);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /**
   * Writes {@code NAME.svg} and {@code NAME.png} into an existing directory.
   *
   * @throws IOException if that fails, or if this Java runtime cannot draw text; one of the files
   *     may exist then
   */
  public void write(Path directory, String name) throws IOException {
    Path png = directory.resolve(name + ".png");
    draw(
        chart -> BitmapEncoder.saveBitmapWithDPI(chart, png.toString(), BitmapFormat.PNG, PNG_DPI));
    Files.writeString(directory.resolve(name + ".svg"), svg());
  }

  private interface Drawing {
    void draw(XYChart chart) throws IOException;
  }

  private void draw(Drawing drawing) throws IOException {
    try {
      drawing.draw(PlotChart.of(this, WIDTH, HEIGHT));
    } catch (LinkageError | InternalError e) {
      // AWT reports so that it found no fonts or no library for them.
      throw new IOException(NO_FONTS, e);
    }
  }
}
