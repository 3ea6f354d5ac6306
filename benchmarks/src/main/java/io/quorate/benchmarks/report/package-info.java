/** How every measurement is told: rows, a table, JSON, CSV, and a live line while it runs. */
package io.quorate.benchmarks.report;
