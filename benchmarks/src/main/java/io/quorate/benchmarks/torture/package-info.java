/**
 * The command line of the torture harness, and its report. The harness itself does not belong here;
 * it is with the tests of the server.
 */
package io.quorate.benchmarks.torture;
