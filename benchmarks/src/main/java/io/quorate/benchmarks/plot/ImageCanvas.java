package io.quorate.benchmarks.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.util.List;

/** Draws an image with twice the resolution of its measures. Needs no display. */
final class ImageCanvas implements Canvas {
  private static final int SCALE = 2;

  private final BufferedImage image;
  private final Graphics2D graphics;

  ImageCanvas(int width, int height) {
    image = new BufferedImage(width * SCALE, height * SCALE, BufferedImage.TYPE_INT_RGB);
    graphics = image.createGraphics();
    graphics.scale(SCALE, SCALE);
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
  }

  /** Returns the image; nothing can be drawn afterwards. */
  BufferedImage finish() {
    graphics.dispose();
    return image;
  }

  @Override
  public void rectangle(Spot upperLeft, double width, double height, PlotColor color) {
    use(color);
    graphics.fill(new Rectangle2D.Double(upperLeft.x(), upperLeft.y(), width, height));
  }

  @Override
  public void line(List<Spot> through, double width, PlotColor color) {
    Path2D path = new Path2D.Double();
    path.moveTo(through.get(0).x(), through.get(0).y());
    through.stream().skip(1).forEach(spot -> path.lineTo(spot.x(), spot.y()));
    use(color);
    graphics.setStroke(
        new BasicStroke((float) width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND));
    graphics.draw(path);
  }

  @Override
  public void disc(Spot centre, double radius, PlotColor color) {
    use(color);
    graphics.fill(
        new Ellipse2D.Double(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius));
  }

  @Override
  public void text(Spot at, String text, TextStyle style) {
    use(style.color());
    graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, style.pixels()));
    double length = graphics.getFontMetrics().getStringBounds(text, graphics).getWidth();
    double before =
        switch (style.anchor()) {
          case START -> 0;
          case MIDDLE -> length / 2;
          case END -> length;
        };
    AffineTransform upright = graphics.getTransform();
    graphics.translate(at.x(), at.y());
    if (style.direction() == Direction.UPWARDS) {
      graphics.rotate(-Math.PI / 2);
    }
    graphics.drawString(text, (float) -before, 0);
    graphics.setTransform(upright);
  }

  private void use(PlotColor color) {
    graphics.setColor(new Color(color.rgb()));
  }
}
