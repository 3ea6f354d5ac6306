/**
 * JMH benchmarks of code on the path of every request, and the command that runs them. Benchmarks
 * that need a running cluster do not belong here.
 */
package io.quorate.benchmarks.micro;
