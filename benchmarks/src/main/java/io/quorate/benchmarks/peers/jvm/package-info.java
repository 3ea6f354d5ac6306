/**
 * Contenders that are libraries for the JVM. Their dependencies clash with ours: each has a class
 * path of its own, also for its client in this process.
 */
package io.quorate.benchmarks.peers.jvm;
