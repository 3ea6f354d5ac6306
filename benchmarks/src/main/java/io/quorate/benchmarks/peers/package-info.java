/**
 * The command {@code bench peers}: Quorate and other databases under the same loads, in one run.
 * How a single database is obtained, started and called does not belong here; each has a package of
 * its own.
 */
package io.quorate.benchmarks.peers;
