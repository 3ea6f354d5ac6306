/**
 * The report of every measurement: rows, text tables, JSON, CSV and HTML, the options for its
 * output files, and what ends a measurement early so that it is reported. The figures themselves do
 * not belong here.
 */
package io.quorate.benchmarks.report;
