package io.quorate.benchmarks.plot;

import java.util.List;
import java.util.Locale;

/**
 * A colour.
 *
 * @param rgb as {@code 0xRRGGBB}
 */
public record Ink(int rgb) {
  static final Ink PAPER = new Ink(0xffffff);
  static final Ink TEXT = new Ink(0x222222);
  static final Ink FAINT_TEXT = new Ink(0x666666);
  static final Ink AXIS = new Ink(0x888888);
  static final Ink GRID = new Ink(0xe6e6e6);

  /** Okabe and Ito's, which people with any colour vision can tell apart; the pale ones last. */
  private static final List<Ink> SERIES =
      List.of(
          new Ink(0x0072b2),
          new Ink(0xd55e00),
          new Ink(0x009e73),
          new Ink(0xcc79a7),
          new Ink(0xe69f00),
          new Ink(0x56b4e9));

  /** The colour of the series with this number, from 0; they come again after a few. */
  public static Ink ofSeries(int number) {
    return SERIES.get(Math.floorMod(number, SERIES.size()));
  }

  /** As HTML writes it. */
  String hex() {
    return String.format(Locale.ROOT, "#%06x", rgb);
  }
}
