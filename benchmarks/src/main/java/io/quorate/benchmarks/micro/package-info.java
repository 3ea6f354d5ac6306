/**
 * JMH benchmarks of code on the path of every request, and the command that runs them. Of those
 * that need a running cluster, only the call of an application belongs here.
 */
package io.quorate.benchmarks.micro;
