/** The command {@code bench ycsb}, which runs the client of stock YCSB and reports its figures. */
package io.quorate.benchmarks.ycsb.run;
