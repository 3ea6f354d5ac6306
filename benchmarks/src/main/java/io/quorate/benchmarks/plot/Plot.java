package io.quorate.benchmarks.plot;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.imageio.ImageIO;

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
  private static final int WIDTH = 760;
  private static final int HEIGHT = 460;

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

  /** How the points of a series are drawn. */
  public enum Mark {
    MARKERS_AND_LINE,
    MARKERS,
    LINE;

    boolean hasMarkers() {
      return this != LINE;
    }

    boolean hasLine() {
      return this != MARKERS;
    }
  }

  /**
   * Points of one color.
   *
   * @param name in the legend
   * @param points from the first to the last along the line
   */
  public record Series(String name, PlotColor ink, List<Point> points, Mark mark) {
    public Series {
      points = List.copyOf(points);
    }

    /** One line with its markers. */
    public Series(String name, PlotColor ink, List<Point> points) {
      this(name, ink, points, Mark.MARKERS_AND_LINE);
    }
  }

  /**
   * One marker, with a bar over the measured values.
   *
   * @param y from {@code yMin} to {@code yMax}
   */
  public record Point(double x, double y, double yMin, double yMax) {}

  /** As an SVG document. */
  public String svg() {
    SvgCanvas canvas = new SvgCanvas(WIDTH, HEIGHT);
    new PlotPainter(this, canvas, WIDTH, HEIGHT).paint();
    return canvas.document();
  }

  /** As an image. */
  public BufferedImage image() {
    ImageCanvas canvas = new ImageCanvas(WIDTH, HEIGHT);
    new PlotPainter(this, canvas, WIDTH, HEIGHT).paint();
    return canvas.finish();
  }

  /**
   * Writes {@code NAME.svg} and {@code NAME.png} into an existing directory.
   *
   * @throws IOException if that fails; one of the files may exist then
   */
  public void write(Path directory, String name) throws IOException {
    Files.writeString(directory.resolve(name + ".svg"), svg());
    Path png = directory.resolve(name + ".png");
    if (!ImageIO.write(image(), "png", png.toFile())) {
      throw new IOException("This JDK cannot write " + png + ": it has no writer for PNG.");
    }
  }
}
