/**
 * Presents the results of an evaluation as tables, rows and plots, and writes them. The content of
 * a single report does not belong here; each paper states its own.
 */
package io.quorate.benchmarks.paper.report;
