package io.quorate.benchmarks.plot;

import io.quorate.benchmarks.plot.Canvas.Anchor;
import io.quorate.benchmarks.plot.Canvas.Direction;
import io.quorate.benchmarks.plot.Canvas.Spot;
import io.quorate.benchmarks.plot.Canvas.TextStyle;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** Draws one plot on one canvas. */
final class PlotPainter {
  private static final double LEFT = 76;
  private static final double RIGHT = 24;
  private static final double TOP = 92;
  private static final double BOTTOM = 58;
  private static final double MARKER = 4;
  private static final double LINE = 2;

  /**
   * Distance between the ends of an axis of names and the names next to them, in steps of the axis.
   */
  private static final double MARGIN_OF_NAMES = 0.5;

  private static final double HAIRLINE = 1;
  private static final int TITLE_PIXELS = 17;
  private static final int TEXT_PIXELS = 12;

  /** Average width of a letter in a legend. */
  private static final double LETTER = 6.6;

  private final Plot plot;
  private final Canvas canvas;
  private final int width;
  private final int height;
  private final List<Double> xTicks;

  /** Values on the horizontal axis; the first and the last are its ends. */
  private final List<Double> xRange;

  private final List<Double> yTicks;

  PlotPainter(Plot plot, Canvas canvas, int width, int height) {
    this.plot = plot;
    this.canvas = canvas;
    this.width = width;
    this.height = height;
    int names = plot.x().names().size();
    if (names == 0) {
      this.xTicks = ticks(plot.x().scale(), Plot.Point::x, Plot.Point::x);
      this.xRange = xTicks;
    } else {
      this.xTicks = IntStream.rangeClosed(1, names).mapToObj(Double::valueOf).toList();
      this.xRange = List.of(1 - MARGIN_OF_NAMES, names + MARGIN_OF_NAMES);
    }
    this.yTicks = ticks(plot.y().scale(), Plot.Point::yMin, Plot.Point::yMax);
  }

  private List<Double> ticks(
      Scale scale, ToDoubleFunction<Plot.Point> min, ToDoubleFunction<Plot.Point> max) {
    return scale.ticks(
        values(min).filter(value -> value > 0).min().orElse(1),
        values(max).filter(value -> value > 0).max().orElse(1));
  }

  private DoubleStream values(ToDoubleFunction<Plot.Point> of) {
    return plot.series().stream().flatMap(each -> each.points().stream()).mapToDouble(of);
  }

  void paint() {
    canvas.rectangle(new Spot(0, 0), width, height, PlotColor.PAPER);
    canvas.text(
        new Spot(LEFT, 28), plot.title(), style(TITLE_PIXELS, Anchor.START, PlotColor.TEXT));
    canvas.text(new Spot(LEFT, 47), plot.note(), small(Anchor.START, PlotColor.FAINT_TEXT));
    legend();
    xAxis();
    yAxis();
    plot.series().forEach(this::series);
  }

  private void legend() {
    double x = LEFT;
    for (Plot.Series series : plot.series()) {
      if (series.mark().hasLine()) {
        canvas.line(List.of(new Spot(x, 68), new Spot(x + 18, 68)), LINE, series.ink());
      }
      if (series.mark().hasMarkers()) {
        canvas.disc(new Spot(x + 9, 68), MARKER, series.ink());
      }
      canvas.text(new Spot(x + 24, 72), series.name(), small(Anchor.START, PlotColor.TEXT));
      x += 24 + series.name().length() * LETTER + 18;
    }
  }

  private void xAxis() {
    for (double tick : xTicks) {
      double x = toX(tick);
      canvas.line(
          List.of(new Spot(x, TOP), new Spot(x, height - BOTTOM)), HAIRLINE, PlotColor.GRID);
      canvas.text(
          new Spot(x, height - BOTTOM + 18),
          xText(tick),
          small(Anchor.MIDDLE, PlotColor.FAINT_TEXT));
    }
    canvas.line(
        List.of(new Spot(LEFT, height - BOTTOM), new Spot(width - RIGHT, height - BOTTOM)),
        HAIRLINE,
        PlotColor.AXIS);
    canvas.text(
        new Spot((LEFT + width - RIGHT) / 2, height - BOTTOM + 42),
        plot.x().label(),
        small(Anchor.MIDDLE, PlotColor.TEXT));
  }

  private String xText(double tick) {
    List<String> names = plot.x().names();
    return names.isEmpty() ? number(tick) : names.get((int) tick - 1);
  }

  private void yAxis() {
    for (double tick : yTicks) {
      double y = toY(tick);
      canvas.line(List.of(new Spot(LEFT, y), new Spot(width - RIGHT, y)), HAIRLINE, PlotColor.GRID);
      canvas.text(new Spot(LEFT - 8, y + 4), number(tick), small(Anchor.END, PlotColor.FAINT_TEXT));
    }
    canvas.text(
        new Spot(20, (TOP + height - BOTTOM) / 2),
        plot.y().label(),
        new TextStyle(TEXT_PIXELS, Anchor.MIDDLE, Direction.UPWARDS, PlotColor.TEXT));
  }

  private void series(Plot.Series series) {
    List<Spot> spots =
        series.points().stream().map(point -> new Spot(toX(point.x()), toY(point.y()))).toList();
    for (Plot.Point point : series.points()) {
      double x = toX(point.x());
      canvas.line(
          List.of(new Spot(x, toY(point.yMin())), new Spot(x, toY(point.yMax()))),
          HAIRLINE,
          series.ink());
    }
    if (plot.x().names().isEmpty() && series.mark().hasLine()) {
      canvas.line(spots, LINE, series.ink());
    }
    if (series.mark().hasMarkers()) {
      spots.forEach(spot -> canvas.disc(spot, MARKER, series.ink()));
    }
  }

  private double toX(double value) {
    return LEFT + part(plot.x().scale(), xRange, value) * (width - LEFT - RIGHT);
  }

  private double toY(double value) {
    return height - BOTTOM - part(plot.y().scale(), yTicks, value) * (height - TOP - BOTTOM);
  }

  /** The position of a value along its axis, from 0 to 1. */
  private static double part(Scale scale, List<Double> ticks, double value) {
    double first = ticks.get(0);
    double from = scale.place(first);
    double to = scale.place(ticks.get(ticks.size() - 1));
    return (scale.place(Math.max(value, first)) - from) / (to - from);
  }

  /** Formats a tick, which is a round number and therefore has few digits. */
  static String number(double value) {
    if (value >= 1000 || value == Math.rint(value)) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    String text = String.format(Locale.ROOT, "%.4f", value);
    return text.replaceAll("0+$", "");
  }

  private static TextStyle small(Anchor anchor, PlotColor color) {
    return style(TEXT_PIXELS, anchor, color);
  }

  private static TextStyle style(int pixels, Anchor anchor, PlotColor color) {
    return new TextStyle(pixels, anchor, color);
  }
}
