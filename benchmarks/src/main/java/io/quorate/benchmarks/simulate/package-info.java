/**
 * The command that runs seeds of the simulator of Rabia and reports their coverage. The simulator
 * itself does not belong here; it is in the module torture.
 */
package io.quorate.benchmarks.simulate;
