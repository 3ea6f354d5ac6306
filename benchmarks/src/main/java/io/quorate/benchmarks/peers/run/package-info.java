/**
 * Measures contenders side by side in rounds, and relates their figures to the limits of the
 * machine. The loads and the report do not belong here; they are in the packages of the commands.
 */
package io.quorate.benchmarks.peers.run;
