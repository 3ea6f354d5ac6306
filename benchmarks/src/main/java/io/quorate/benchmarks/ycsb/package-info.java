/**
 * A binding of the database for YCSB: what stock YCSB loads, and nothing else. The jar {@code
 * quorate-ycsb.jar} contains this package and the client. The command {@code bench ycsb} is in
 * {@code io.quorate.benchmarks.ycsb.run}.
 */
package io.quorate.benchmarks.ycsb;
