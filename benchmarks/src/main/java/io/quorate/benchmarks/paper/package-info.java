/**
 * The experiments of the papers, each a command of its own in a package below this one. Here is
 * what they share: contenders that are measured in turns under the same loads, and what is made of
 * the figures.
 */
package io.quorate.benchmarks.paper;
