/** What the nodes of a cluster measure about themselves, read over HTTP. */
package io.quorate.benchmarks.metrics;
