/** How every measurement is told: rows, a table, JSON and CSV. */
package io.quorate.benchmarks.report;
