/**
 * Plots of figures: {@link io.quorate.benchmarks.plot.Plot} contains the data, and a {@link
 * io.quorate.benchmarks.plot.Canvas} draws it as SVG or PNG. The selection of figures does not
 * belong here; it is in the package {@code paper}.
 */
package io.quorate.benchmarks.plot;
