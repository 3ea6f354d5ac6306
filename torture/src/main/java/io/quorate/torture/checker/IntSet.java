package io.quorate.torture.checker;

import java.util.Arrays;
import java.util.stream.IntStream;

/** A small immutable set of numbers. */
final class IntSet {
  private final int[] sorted;

  private IntSet(int[] sorted) {
    this.sorted = sorted;
  }

  static IntSet of(int... numbers) {
    return new IntSet(IntStream.of(numbers).sorted().distinct().toArray());
  }

  boolean contains(int number) {
    return sorted.length == 1 ? sorted[0] == number : Arrays.binarySearch(sorted, number) >= 0;
  }

  int size() {
    return sorted.length;
  }

  IntStream stream() {
    return IntStream.of(sorted);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof IntSet set && Arrays.equals(sorted, set.sorted);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(sorted);
  }

  @Override
  public String toString() {
    return Arrays.toString(sorted);
  }
}
