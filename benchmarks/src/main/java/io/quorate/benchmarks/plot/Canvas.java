package io.quorate.benchmarks.plot;

import java.util.List;

/** A drawing surface. Lengths are in pixels, from the upper left corner. */
interface Canvas {

  /** A position. */
  record Spot(double x, double y) {}

  /** The part of a text that is at its position. */
  enum Anchor {
    START,
    MIDDLE,
    END
  }

  /** The direction of a text. */
  enum Direction {
    ACROSS,
    UPWARDS
  }

  /** The style of a text. */
  record TextStyle(int pixels, Anchor anchor, Direction direction, PlotColor color) {
    TextStyle(int pixels, Anchor anchor, PlotColor color) {
      this(pixels, anchor, Direction.ACROSS, color);
    }
  }

  void rectangle(Spot upperLeft, double width, double height, PlotColor color);

  void line(List<Spot> through, double width, PlotColor color);

  void disc(Spot centre, double radius, PlotColor color);

  /**
   * @param at the base line of the text
   */
  void text(Spot at, String text, TextStyle style);
}
