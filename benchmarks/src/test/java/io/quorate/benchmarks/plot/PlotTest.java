package io.quorate.benchmarks.plot;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Plot.Point;
import io.quorate.benchmarks.plot.Plot.Series;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class PlotTest {
  private static final Series SLOW =
      new Series("slow & old", PlotColor.ofSeries(0), List.of(at(1, 10), at(100, 20)));
  private static final Series FAST =
      new Series(
          "<fast>", PlotColor.ofSeries(1), List.of(at(1, 1000), at(10, 2000), at(100, 4000)));
  private static final Series ABSENT = new Series("absent", PlotColor.ofSeries(2), List.of());

  @TempDir private Path directory;

  private static Point at(double x, double y) {
    return new Point(x, y, y * 0.8, y * 1.1);
  }

  private static Plot plot(Series... series) {
    return new Plot(
        "Title",
        "note",
        new Axis("keys", Scale.LOGARITHMIC),
        new Axis("ops/s", Scale.LINEAR),
        List.of(series));
  }

  private static XYChart chart(Plot plot) {
    return PlotChart.of(plot, 800, 400);
  }

  private static List<XYSeries> legend(XYChart chart) {
    return chart.getSeriesCollection().stream().filter(XYSeries::isShowInLegend).toList();
  }

  @Test
  void theLegendHasEverySeriesWithPointsInTheColorOfItsInk() {
    XYChart chart = chart(plot(SLOW, FAST, ABSENT));

    assertThat(chart.getTitle()).isEqualTo("Title");
    assertThat(chart.getXAxisTitle()).isEqualTo("keys");
    assertThat(chart.getYAxisTitle()).isEqualTo("ops/s");
    assertThat(legend(chart))
        .extracting(XYSeries::getLabel)
        .containsExactly("slow & old", "<fast>");
    assertThat(legend(chart))
        .extracting(XYSeries::getLineColor)
        .containsExactly(new Color(0x0072b2), new Color(0xd55e00));
  }

  @Test
  void theBarsOfASeriesReachFromTheLeastToTheGreatestValues() {
    XYSeries bars =
        chart(plot(FAST)).getSeriesCollection().stream()
            .filter(series -> !series.isShowInLegend())
            .findFirst()
            .orElseThrow();

    assertThat(bars.getYData()[1] - bars.getExtraValues()[1]).isEqualTo(1600, within());
    assertThat(bars.getYData()[1] + bars.getExtraValues()[1]).isEqualTo(2200, within());
    assertThat(bars.getLineColor()).isEqualTo(new Color(0xd55e00));
  }

  @Test
  void theTitleAndTheNoteAreElementsOfTheDocument() throws Exception {
    Plot plot =
        new Plot(
            "reads < writes",
            "R & D",
            new Axis("keys", Scale.LOGARITHMIC),
            new Axis("ops/s", Scale.LINEAR),
            List.of(FAST));
    Element svg = parse(plot.svg());

    assertThat(svg.getElementsByTagName("title").item(0).getTextContent())
        .isEqualTo("reads < writes");
    assertThat(svg.getElementsByTagName("desc").item(0).getTextContent()).isEqualTo("R & D");
  }

  @Test
  void markersLieWhereTheirValuesAreOnTheAxes() throws Exception {
    List<double[]> markers = markers(parse(plot(FAST).svg()), "rgb(213,94,0)");

    assertThat(markers).hasSize(3 + 1);
    double[] x = markers.stream().mapToDouble(each -> each[0]).toArray();
    double[] y = markers.stream().mapToDouble(each -> each[1]).toArray();
    assertThat(x[1] - x[0]).isEqualTo(x[2] - x[1], within());
    assertThat(y[1] - y[2]).isEqualTo(2 * (y[0] - y[1]), within());
  }

  @Test
  void valuesThatAreNotNumbersHaveNamesAndNoLineBetweenThem() throws Exception {
    Plot named =
        new Plot(
            "Title",
            "",
            Axis.ofNames("workload", List.of("A", "B", "C")),
            new Axis("ops/s", Scale.LOGARITHMIC),
            List.of(new Series("only", PlotColor.ofSeries(0), List.of(at(1, 10), at(3, 20)))));

    List<double[]> markers = markers(parse(named.svg()), "rgb(0,114,178)");
    assertThat(markers).hasSize(2 + 1);
    assertThat(markers.get(1)[0] - markers.get(0)[0]).isPositive();
    assertThat(legend(chart(named)))
        .extracting(XYSeries::getXYSeriesRenderStyle)
        .containsExactly(Optional.of(XYSeriesRenderStyle.Scatter));
  }

  @Test
  void plotsOfOnePointAndOfNoSeriesCanBeDrawn() throws Exception {
    Series zero = new Series("one", PlotColor.ofSeries(0), List.of(at(1, 0)));
    assertThat(parse(plot(zero).svg())).isNotNull();
    assertThat(parse(plot().svg())).isNotNull();
    Axis ofOneName = Axis.ofNames("workload", List.of("A"));
    for (Scale scale : Scale.values()) {
      Plot named = new Plot("Title", "", ofOneName, new Axis("ms", scale), List.of(zero));
      assertThat(parse(named.svg())).isNotNull();
    }
  }

  @Test
  void bothFilesAreWritten() throws IOException {
    plot(SLOW, FAST).write(directory, "name");

    BufferedImage image = ImageIO.read(directory.resolve("name.png").toFile());
    assertThat(image.getWidth()).isGreaterThan(image.getHeight());
    assertThat(colours(image)).contains(0x0072b2, 0xd55e00);
    assertThat(directory.resolve("name.svg")).content().startsWith("<svg");
  }

  @Test
  void theEndsOfAxesCoverTheValues() {
    assertThat(Scale.LINEAR.lowerEnd(3)).isZero();
    assertThat(Scale.LINEAR.upperEnd(3, 4400)).isEqualTo(4400);
    assertThat(Scale.LOGARITHMIC.lowerEnd(0.4)).isEqualTo(0.1);
    assertThat(Scale.LOGARITHMIC.upperEnd(0.4, 256)).isEqualTo(1000);
    assertThat(Scale.LOGARITHMIC.upperEnd(1, 1)).isEqualTo(10);
  }

  private static Offset<Double> within() {
    return Offset.offset(1.0);
  }

  private static List<Integer> colours(BufferedImage image) {
    int[] pixels =
        image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
    List<Integer> colours = new ArrayList<>();
    for (int pixel : pixels) {
      colours.add(pixel & 0xffffff);
    }
    return colours.stream().distinct().toList();
  }

  /** The centres of the discs of a color, in the order of the document; the last of the legend. */
  private static List<double[]> markers(Element svg, String color) {
    NodeList discs = svg.getElementsByTagName("ellipse");
    List<double[]> markers = new ArrayList<>();
    for (int i = 0; i < discs.getLength(); i++) {
      Element disc = (Element) discs.item(i);
      if (disc.getAttribute("style").contains(color)) {
        markers.add(
            new double[] {
              Double.parseDouble(disc.getAttribute("cx")),
              Double.parseDouble(disc.getAttribute("cy"))
            });
      }
    }
    return markers;
  }

  private static Element parse(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)))
        .getDocumentElement();
  }
}
