/**
 * Measures the resources of an idle cluster. Measurements under load do not belong here; they are
 * in the packages {@code kv} and {@code paper}.
 */
package io.quorate.benchmarks.idle;
