package io.quorate.benchmarks.plot;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Draws SVG. */
final class SvgCanvas implements Canvas {
  private final int width;
  private final int height;
  private final StringBuilder elements = new StringBuilder();

  SvgCanvas(int width, int height) {
    this.width = width;
    this.height = height;
  }

  /** Returns the drawing as a document. */
  String document() {
    return format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
            + " font-family=\"Helvetica, Arial, sans-serif\">\n%s</svg>\n",
        width, height, width, height, elements);
  }

  @Override
  public void rectangle(Spot upperLeft, double wide, double high, PlotColor color) {
    draw(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
        upperLeft.x(), upperLeft.y(), wide, high, color.hex());
  }

  @Override
  public void line(List<Spot> through, double wide, PlotColor color) {
    String points =
        through.stream()
            .map(spot -> format("%.1f,%.1f", spot.x(), spot.y()))
            .collect(Collectors.joining(" "));
    draw(
        "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\""
            + " stroke-linejoin=\"round\"/>",
        points, color.hex(), wide);
  }

  @Override
  public void disc(Spot centre, double radius, PlotColor color) {
    draw(
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>",
        centre.x(), centre.y(), radius, color.hex());
  }

  @Override
  public void text(Spot at, String text, TextStyle style) {
    String rotation =
        style.direction() == Direction.UPWARDS
            ? format(" transform=\"rotate(-90 %.1f %.1f)\"", at.x(), at.y())
            : "";
    draw(
        "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" text-anchor=\"%s\" fill=\"%s\"%s>%s</text>",
        at.x(),
        at.y(),
        style.pixels(),
        style.anchor().name().toLowerCase(Locale.ROOT),
        style.color().hex(),
        rotation,
        escaped(text));
  }

  private void draw(String element, Object... values) {
    elements.append(format(element, values)).append('\n');
  }

  private static String format(String pattern, Object... values) {
    return String.format(Locale.ROOT, pattern, values);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
