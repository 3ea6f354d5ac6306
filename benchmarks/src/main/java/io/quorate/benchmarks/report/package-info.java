/**
 * The report of every measurement: rows, text tables, JSON, CSV and HTML, and the options for its
 * output files. The figures themselves do not belong here.
 */
package io.quorate.benchmarks.report;
