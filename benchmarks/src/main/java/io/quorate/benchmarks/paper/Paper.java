package io.quorate.benchmarks.paper;

/**
 * A paper whose evaluation is repeated.
 *
 * @param name of the command, and the base name of the output files
 * @param title of the page
 * @param summary what is compared, for the help of the command
 */
public record Paper(String name, String title, String summary) {}
