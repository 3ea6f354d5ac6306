/**
 * Plots of figures: {@link io.quorate.benchmarks.plot.Plot} says what is drawn, a {@link
 * io.quorate.benchmarks.plot.Canvas} how, as SVG or PNG.
 */
package io.quorate.benchmarks.plot;
