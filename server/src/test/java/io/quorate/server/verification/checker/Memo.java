package io.quorate.server.verification.checker;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Configurations that were entered before and from which no way led to the end, or leads there
 * through this one.
 *
 * <p>A configuration is the values, the required calls placed, and how many optional calls of each
 * kind are used. One that has used no more optional calls than another, all else equal, can go on
 * in every way in which the other one can; so the other one need not be entered any more.
 *
 * <p>Where no required call is under way, the configuration is only the values, which is how a
 * history is cut there: what comes after is entered once for each state that can be reached.
 */
final class Memo {
  private static final int BYTES_EACH = 120;

  private record Place(int[] numbers) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Place place && Arrays.equals(numbers, place.numbers);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(numbers);
    }
  }

  private final Map<Place, List<int[]>> entered = new HashMap<>();
  private long bytes;

  /**
   * Enters a configuration.
   *
   * @param place the values and the required calls that are under way
   * @param optionalUsed kinds of optional calls in ascending order, each followed by how many
   * @return whether that is worth while
   */
  boolean enter(int[] place, int[] optionalUsed) {
    List<int[]> before = entered.computeIfAbsent(new Place(place), any -> new ArrayList<>(1));
    if (before.stream().anyMatch(used -> isWithin(used, optionalUsed))) {
      return false;
    }
    before.removeIf(used -> isWithin(optionalUsed, used));
    before.add(optionalUsed);
    bytes += BYTES_EACH + (long) Integer.BYTES * (place.length + optionalUsed.length);
    return true;
  }

  /** About how much memory is taken. */
  long bytes() {
    return bytes;
  }

  private static boolean isWithin(int[] few, int[] many) {
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
