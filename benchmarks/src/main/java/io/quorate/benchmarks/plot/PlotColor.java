package io.quorate.benchmarks.plot;

import java.awt.Color;
import java.util.List;

/**
 * A color.
 *
 * @param rgb as {@code 0xRRGGBB}
 */
public record PlotColor(int rgb) {
  static final PlotColor TEXT = new PlotColor(0x222222);
  static final PlotColor FAINT_TEXT = new PlotColor(0x666666);
  static final PlotColor AXIS = new PlotColor(0x888888);
  static final PlotColor GRID = new PlotColor(0xe6e6e6);

  /**
   * The palette of Okabe and Ito, which is distinguishable with any color vision, without its
   * yellow and with an olive instead; the pale colors and those are last.
   */
  private static final List<PlotColor> SERIES =
      List.of(
          new PlotColor(0x0072b2),
          new PlotColor(0xd55e00),
          new PlotColor(0x009e73),
          new PlotColor(0xcc79a7),
          new PlotColor(0xe69f00),
          new PlotColor(0x56b4e9),
          new PlotColor(0x000000),
          new PlotColor(0x999933));

  /** The color of the series with this number, from 0; colors repeat after the last one. */
  public static PlotColor ofSeries(int number) {
    return SERIES.get(Math.floorMod(number, SERIES.size()));
  }

  Color awt() {
    return new Color(rgb);
  }
}
