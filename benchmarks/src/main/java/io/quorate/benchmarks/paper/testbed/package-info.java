/**
 * The running clusters of the compared systems, and which cases this machine can run. What is
 * measured on the clusters does not belong here.
 */
package io.quorate.benchmarks.paper.testbed;
