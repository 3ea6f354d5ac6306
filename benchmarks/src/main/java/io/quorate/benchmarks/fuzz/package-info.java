/**
 * The command that searches for inputs that break a decoder. The decoders and what they must fulfil
 * do not belong here; they are in the module torture.
 */
package io.quorate.benchmarks.fuzz;
