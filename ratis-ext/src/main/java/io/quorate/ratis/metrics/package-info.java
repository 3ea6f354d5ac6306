/**
 * Passes metrics of Ratis on to the metrics sink of the engine. Only implementations of Ratis'
 * metrics API belong here; the engine's own metrics are defined where they are recorded.
 */
package io.quorate.ratis.metrics;
