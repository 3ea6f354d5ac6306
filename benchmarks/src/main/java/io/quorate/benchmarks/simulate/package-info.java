/** Runs seeds of the simulator of Rabia. */
package io.quorate.benchmarks.simulate;
