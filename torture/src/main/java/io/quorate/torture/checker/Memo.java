package io.quorate.torture.checker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The configurations that the search has entered: no complete order was found from them, or the
 * present one was reached from them.
 *
 * <p>A configuration consists of the values, the placed required calls, and the number of used
 * optional calls of each kind. If everything else is equal, a configuration with fewer used
 * optional calls of each kind, or the same number, can be continued in every way in which the other
 * one can, so the other one need not be entered.
 *
 * <p>Where no required call is in flight, a configuration consists of the values only. This divides
 * a history: the part after such a point is entered once for each state that can be reached there.
 */
final class Memo {
  private static final int BYTES_EACH = 120;

  private record Key(int[] numbers) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && Arrays.equals(numbers, key.numbers);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(numbers);
    }
  }

  private final Map<Key, List<int[]>> entered = new HashMap<>();
  private long bytes;

  /**
   * Enters a configuration.
   *
   * @param key the values and the required calls that are in flight, see {@link
   *     Configuration#memoKey}
   * @param optionalUsed the kinds of the used optional calls in ascending order, each followed by
   *     their number
   * @return false if the search need not continue from there
   */
  boolean enter(int[] key, int[] optionalUsed) {
    List<int[]> before = entered.computeIfAbsent(new Key(key), any -> new ArrayList<>(1));
    if (before.stream().anyMatch(used -> isSubset(used, optionalUsed))) {
      return false;
    }
    before.removeIf(used -> isSubset(optionalUsed, used));
    before.add(optionalUsed);
    bytes += BYTES_EACH + (long) Integer.BYTES * (key.length + optionalUsed.length);
    return true;
  }

  /** The approximate memory in bytes. */
  long bytes() {
    return bytes;
  }

  private static boolean isSubset(int[] few, int[] many) {
    int at = 0;
    for (int i = 0; i < few.length; i += 2) {
      while (at < many.length && many[at] < few[i]) {
        at += 2;
      }
      if (at == many.length || many[at] != few[i] || many[at + 1] < few[i + 1]) {
        return false;
      }
    }
    return true;
  }
}
