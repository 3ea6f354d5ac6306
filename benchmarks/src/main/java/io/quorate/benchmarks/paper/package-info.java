/**
 * The common parts of the experiments of the papers: systems that are measured alternately under
 * the same loads, and the figures, tables and plots of the results. The experiment of a single
 * paper does not belong here; it is a command in a package below this one.
 */
package io.quorate.benchmarks.paper;
