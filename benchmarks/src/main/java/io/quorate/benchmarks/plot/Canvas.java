package io.quorate.benchmarks.plot;

import java.util.List;

/** Something to draw on. Lengths are in pixels, from the upper left corner. */
interface Canvas {

  /** A place. */
  record Spot(double x, double y) {}

  /** Which part of a text is at the spot where it is put. */
  enum Anchor {
    START,
    MIDDLE,
    END
  }

  /** In which direction a text runs. */
  enum Direction {
    ACROSS,
    UPWARDS
  }

  /** How a text looks. */
  record Letters(int pixels, Anchor anchor, Direction direction, Ink ink) {
    Letters(int pixels, Anchor anchor, Ink ink) {
      this(pixels, anchor, Direction.ACROSS, ink);
    }
  }

  void rectangle(Spot upperLeft, double width, double height, Ink ink);

  void line(List<Spot> through, double width, Ink ink);

  void disc(Spot centre, double radius, Ink ink);

  /**
   * @param at the base line of the text
   */
  void text(Spot at, String text, Letters letters);
}
