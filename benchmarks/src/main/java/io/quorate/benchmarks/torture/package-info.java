/**
 * The command line of the torture harness, and its report. The harness itself does not belong here;
 * it is in the module torture.
 */
package io.quorate.benchmarks.torture;
