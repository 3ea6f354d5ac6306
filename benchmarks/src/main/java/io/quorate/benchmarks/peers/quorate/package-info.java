/** Quorate itself as a contender. */
package io.quorate.benchmarks.peers.quorate;
