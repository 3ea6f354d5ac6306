/**
 * Fuzzers of what decodes bytes from outside or from disk: one list of targets, what each must
 * fulfil, and the inputs that are kept. Jazzer searches for inputs; the build repeats the kept ones
 * and mutations of them. What a decoded value means does not belong here.
 */
package io.quorate.torture.fuzz;
