/** The command line of the torture harness, which is with the server's tests. */
package io.quorate.benchmarks.torture;
