/** Ratis' own measurements, passed on to whatever collects the engine's. */
package io.quorate.ratis.metrics;
