package io.quorate.rabia.core;

import io.quorate.model.Position;

/** The common coin (C10): the same value at every replica for the same slot and phase. */
@FunctionalInterface
public interface Coin {
  boolean flip(Position at, int phase);

  /**
   * One in the first phase, which turns most mixed rounds into commits; in later phases one bit of
   * a hash.
   */
  Coin COMMON =
      (at, phase) -> {
        if (phase == 1) {
          return true;
        }
        // The finalizer of SplitMix64.
        long mixed = at.epoch() * 0x9E3779B97F4A7C15L + at.index() * 31L + phase;
        mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
        return ((mixed ^ (mixed >>> 31)) & 1) == 1;
      };
}
