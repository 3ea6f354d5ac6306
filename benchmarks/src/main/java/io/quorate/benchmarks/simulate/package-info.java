/**
 * The command that runs seeds of the simulator of Rabia and reports their coverage. The simulator
 * itself does not belong here; it is with the tests of the module rabia-acqr.
 */
package io.quorate.benchmarks.simulate;
