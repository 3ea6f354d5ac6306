package io.quorate.benchmarks.plot;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.plot.Plot.Axis;
import io.quorate.benchmarks.plot.Plot.Point;
import io.quorate.benchmarks.plot.Plot.Series;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
    return new Point(x, y, y * 0.9, y * 1.1);
  }

  private static Plot plot(Series... series) {
    return new Plot(
        "Title",
        "note",
        new Axis("keys", Scale.LOGARITHMIC),
        new Axis("ops/s", Scale.LINEAR),
        List.of(series));
  }

  @Test
  void theDocumentHasEverySeriesWithItsNameAndMarkers() throws Exception {
    Element svg = parse(plot(SLOW, FAST, ABSENT).svg());

    assertThat(texts(svg)).contains("Title", "note", "keys", "ops/s", "slow & old", "<fast>");
    assertThat(texts(svg)).contains("1", "10", "100", "4,000").doesNotContain("absent");
    // One for each point, and one for each entry of the legend.
    assertThat(svg.getElementsByTagName("circle").getLength()).isEqualTo(5 + 2);
  }

  @Test
  void markersLieWhereTheirValuesAreOnTheAxes() throws Exception {
    NodeList circles = parse(plot(FAST).svg()).getElementsByTagName("circle");
    List<Double> x = new ArrayList<>();
    List<Double> y = new ArrayList<>();
    for (int i = 1; i < circles.getLength(); i++) {
      x.add(Double.valueOf(((Element) circles.item(i)).getAttribute("cx")));
      y.add(Double.valueOf(((Element) circles.item(i)).getAttribute("cy")));
    }

    assertThat(x.get(1) - x.get(0)).isCloseTo(x.get(2) - x.get(1), within());
    assertThat(y.get(1) - y.get(2)).isCloseTo(2 * (y.get(0) - y.get(1)), within());
  }

  @Test
  void valuesThatAreNotNumbersHaveNamesAndNoLineBetweenThem() throws Exception {
    Plot named =
        new Plot(
            "Title",
            "note",
            Axis.ofNames("workload", List.of("A", "B", "C")),
            new Axis("ops/s", Scale.LINEAR),
            List.of(new Series("only", PlotColor.ofSeries(0), List.of(at(1, 10), at(3, 20)))));
    Element svg = parse(named.svg());

    assertThat(texts(svg)).contains("A", "B", "C").doesNotContain("3");
    NodeList circles = svg.getElementsByTagName("circle");
    double first = Double.parseDouble(((Element) circles.item(1)).getAttribute("cx"));
    double third = Double.parseDouble(((Element) circles.item(2)).getAttribute("cx"));
    assertThat(texts(svg)).contains("workload");
    assertThat(third - first).isPositive();
  }

  @Test
  void plotsOfOnePointAndOfNoSeriesCanBeDrawn() throws Exception {
    assertThat(parse(plot(new Series("one", PlotColor.ofSeries(0), List.of(at(1, 0)))).svg()))
        .isNotNull();
    assertThat(parse(plot().svg())).isNotNull();
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
  void ticksAreRoundAndCoverTheValues() {
    assertThat(Scale.LINEAR.ticks(3, 4400))
        .containsExactly(0.0, 1000.0, 2000.0, 3000.0, 4000.0, 5000.0);
    assertThat(Scale.LINEAR.ticks(0, 1)).hasSize(6).startsWith(0.0).endsWith(1.0);
    assertThat(Scale.LOGARITHMIC.ticks(0.4, 256)).containsExactly(0.1, 1.0, 10.0, 100.0, 1000.0);
    assertThat(Scale.LOGARITHMIC.ticks(1, 1)).containsExactly(1.0, 10.0);
  }

  private static Offset<Double> within() {
    return Offset.offset(0.3);
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

  private static List<String> texts(Element svg) {
    NodeList nodes = svg.getElementsByTagName("text");
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      texts.add(nodes.item(i).getTextContent());
    }
    return texts;
  }

  private static Element parse(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)))
        .getDocumentElement();
  }
}
