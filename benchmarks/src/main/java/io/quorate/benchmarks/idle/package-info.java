/** What a cluster costs that has nothing to do. */
package io.quorate.benchmarks.idle;
