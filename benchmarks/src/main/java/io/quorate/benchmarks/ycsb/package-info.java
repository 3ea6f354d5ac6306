/**
 * The binding for YCSB, which stock YCSB loads from {@code quorate-ycsb.jar}: this package and the
 * client. The command {@code bench ycsb} does not belong here.
 */
package io.quorate.benchmarks.ycsb;
