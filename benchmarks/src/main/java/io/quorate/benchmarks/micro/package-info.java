/** JMH benchmarks of code that every request runs through. */
package io.quorate.benchmarks.micro;
