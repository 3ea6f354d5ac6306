/** The clusters that measurements start for themselves, and remove again. */
package io.quorate.benchmarks.cluster;
