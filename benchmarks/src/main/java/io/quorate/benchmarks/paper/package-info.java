/**
 * Runs the evaluation of a paper: the interface of its own part, and the command and options that
 * all evaluations share. The evaluation of a single paper does not belong here; it is in a package
 * of its own below this one.
 */
package io.quorate.benchmarks.paper;
