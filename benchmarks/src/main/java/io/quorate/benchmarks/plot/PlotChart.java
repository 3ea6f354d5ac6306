package io.quorate.benchmarks.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.knowm.xchart.AnnotationText;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.AxesChartStyler.TextAlignment;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Creates XChart's chart of one plot. */
final class PlotChart {
  private static final int TITLE_PIXELS = 17;
  private static final int TEXT_PIXELS = 12;
  private static final int MARKER_PIXELS = 8;
  private static final float LINE_PIXELS = 2;

  /** Space above the title and below it, where the note is. */
  private static final int TITLE_PADDING = 20;

  /** Distance of the note from the upper end of the vertical axis, as a part of its length. */
  private static final double NOTE_DISTANCE = 0.05;

  /** Of the length of an axis, the part between its ends; the rest keeps markers off the frame. */
  private static final double CONTENT = 0.96;

  private static final String NUMBERS = "#,##0.####";

  private final Plot plot;
  private final XYChart chart;
  private final double xMin;
  private final double xMax;
  private final double yMin;
  private final double yMax;

  private PlotChart(Plot plot, int width, int height) {
    this.plot = plot;
    this.chart =
        new XYChartBuilder()
            .width(width)
            .height(height)
            .title(plot.title())
            .xAxisTitle(plot.x().label())
            .yAxisTitle(plot.y().label())
            .build();
    int names = plot.x().names().size();
    double leastX = least(Plot.Point::x);
    this.xMin = names > 0 ? 0 : plot.x().scale().lowerEnd(leastX);
    this.xMax = names > 0 ? names + 1 : plot.x().scale().upperEnd(leastX, greatest(Plot.Point::x));
    double leastY = least(Plot.Point::yMin);
    this.yMin = plot.y().scale().lowerEnd(leastY);
    this.yMax = plot.y().scale().upperEnd(leastY, greatest(Plot.Point::yMax));
  }

  /**
   * @param width in pixels
   * @param height in pixels
   */
  static XYChart of(Plot plot, int width, int height) {
    PlotChart building = new PlotChart(plot, width, height);
    building.style();
    building.axes();
    if (!plot.note().isEmpty()) {
      building.note();
    }
    if (!plot.x().names().isEmpty()) {
      building.names();
    }
    for (int i = 0; i < plot.series().size(); i++) {
      building.series(plot.series().get(i), i);
    }
    return building.chart;
  }

  private double least(ToDoubleFunction<Plot.Point> of) {
    return values(of).filter(value -> value > 0).min().orElse(1);
  }

  private double greatest(ToDoubleFunction<Plot.Point> of) {
    return values(of).filter(value -> value > 0).max().orElse(1);
  }

  private DoubleStream values(ToDoubleFunction<Plot.Point> of) {
    return plot.series().stream().flatMap(each -> each.points().stream()).mapToDouble(of);
  }

  private void style() {
    XYStyler styler = chart.getStyler();
    styler.setLocale(Locale.ROOT);
    styler.setChartBackgroundColor(Color.WHITE);
    styler.setChartFontColor(PlotColor.TEXT.awt());
    styler.setChartTitleFont(font(TITLE_PIXELS));
    styler.setChartTitlePadding(TITLE_PADDING);
    styler.setChartTitleBoxVisible(false);
    styler.setAnnotationTextFont(font(TEXT_PIXELS));
    styler.setAnnotationTextFontColor(PlotColor.FAINT_TEXT.awt());
    styler.setLegendPosition(LegendPosition.OutsideE);
    styler.setLegendFont(font(TEXT_PIXELS));
    styler.setLegendBorderColor(Color.WHITE);
    styler.setPlotBorderColor(PlotColor.AXIS.awt());
    styler.setPlotGridLinesColor(PlotColor.GRID.awt());
    styler.setPlotGridLinesStroke(new BasicStroke(1));
    styler.setPlotContentSize(CONTENT);
    styler.setAxisTitleFont(font(TEXT_PIXELS));
    styler.setAxisTickLabelsFont(font(TEXT_PIXELS));
    styler.setAxisTickLabelsColor(PlotColor.FAINT_TEXT.awt());
    styler.setAxisTickMarksColor(PlotColor.AXIS.awt());
    styler.setAxisTicksLineVisible(false);
    styler.setPlotMargin(0);
    styler.setYAxisLabelAlignment(TextAlignment.Right);
    styler.setMarkerSize(MARKER_PIXELS);
    styler.setErrorBarsColorSeriesColor(true);
  }

  private static Font font(int pixels) {
    return new Font(Font.SANS_SERIF, Font.PLAIN, pixels);
  }

  private void axes() {
    XYStyler styler = chart.getStyler();
    styler.setXAxisLogarithmic(plot.x().scale() == Scale.LOGARITHMIC);
    styler.setXAxisMin(xMin);
    styler.setXAxisMax(xMax);
    styler.setXAxisDecimalPattern(NUMBERS);
    styler.setYAxisLogarithmic(plot.y().scale() == Scale.LOGARITHMIC);
    styler.setYAxisMin(yMin);
    styler.setYAxisMax(yMax);
    styler.setYAxisDecimalPattern(NUMBERS);
  }

  /** The note is a text between the title and the frame, and has its place on the axes. */
  private void note() {
    double x = plot.x().scale().between(xMin, xMax, 0.5);
    double y = plot.y().scale().between(yMin, yMax, 1 + NOTE_DISTANCE);
    chart.addAnnotation(new AnnotationText(plot.note(), x, y, false));
  }

  /**
   * Labels the values 1, 2 and so on with names. XChart has ticks where there are values in even
   * steps, so an invisible series has all of them, and one more at each end of the axis.
   */
  private void names() {
    List<String> names = plot.x().names();
    double[] x = IntStream.rangeClosed(0, names.size() + 1).asDoubleStream().toArray();
    double[] y = new double[x.length];
    Arrays.fill(y, yMin);
    hide(chart.addSeries("names", x, y));
    chart.setCustomXAxisTickLabelsFormatter(value -> name(names, (int) Math.round(value)));
  }

  private static String name(List<String> names, int value) {
    if (value < 1) {
      return " ";
    }
    // Labels have to differ.
    return value <= names.size() ? names.get(value - 1) : "  ";
  }

  private void series(Plot.Series series, int number) {
    List<Plot.Point> points = series.points();
    double[] x = points.stream().mapToDouble(point -> clamped(point.x(), xMin)).toArray();
    Color color = series.ink().awt();
    if (points.stream().anyMatch(point -> point.yMin() < point.yMax())) {
      bars(points, x, color, number);
    }
    XYSeries line =
        chart.addSeries(
            "line " + number,
            x,
            points.stream().mapToDouble(point -> clamped(point.y(), yMin)).toArray());
    line.setLabel(series.name());
    line.setLineColor(color);
    line.setLineStyle(new BasicStroke(LINE_PIXELS, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND));
    line.setMarker(SeriesMarkers.CIRCLE);
    line.setMarkerColor(color);
    if (!plot.x().names().isEmpty()) {
      line.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
    }
  }

  /** Error bars are symmetric in XChart; these belong to an invisible series at their middle. */
  private void bars(List<Plot.Point> points, double[] x, Color color, int number) {
    XYSeries bars =
        chart.addSeries(
            "bars " + number,
            x,
            points.stream().mapToDouble(point -> (top(point) + bottom(point)) / 2).toArray(),
            points.stream().mapToDouble(point -> (top(point) - bottom(point)) / 2).toArray());
    hide(bars);
    bars.setLineColor(color);
  }

  /** Leaves nothing of a series to see but its error bars. */
  private static void hide(XYSeries series) {
    series.setShowInLegend(false);
    series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
    series.setMarker(SeriesMarkers.NONE);
  }

  private double top(Plot.Point point) {
    return clamped(point.yMax(), yMin);
  }

  private double bottom(Plot.Point point) {
    return clamped(point.yMin(), yMin);
  }

  /** A logarithmic axis has no place for zero, which is drawn at its lower end. */
  private static double clamped(double value, double min) {
    return Math.max(value, min);
  }
}
