/**
 * Plots of figures: {@link io.quorate.benchmarks.plot.Plot} contains the data, and XChart draws it
 * as SVG or PNG. No other package uses XChart. The selection of figures does not belong here; it is
 * in the package {@code paper}.
 */
package io.quorate.benchmarks.plot;
