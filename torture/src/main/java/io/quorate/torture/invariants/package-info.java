/**
 * Properties of every linearizable history that are checked without a search: the checks are fast,
 * and their findings are easy to understand. Searches for a linearization belong in the package
 * {@code checker}.
 */
package io.quorate.torture.invariants;
