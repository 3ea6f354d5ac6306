package io.quorate.testing;

import io.quorate.server.localcluster.ClusterPlan;
import java.util.ArrayList;
import java.util.List;

/**
 * Where the regions of a cluster for tests begin. A node of production divides the space of the
 * first two bytes, in which lower-case letters are in one of four parts; tests have few keys, and
 * most of them are text.
 */
final class RegionStarts {
  private static final int LETTERS = 26;

  private RegionStarts() {}

  /**
   * Returns the keys at which regions begin, one fewer than regions, ascending: one lower-case
   * letter each, or two or three if there are more regions than letters.
   */
  static List<String> evenly(int regions) {
    if (regions < 1 || regions > ClusterPlan.REGIONS_MAX) {
      throw new IllegalArgumentException(
          "A cluster has 1 to " + ClusterPlan.REGIONS_MAX + " regions, not " + regions + ".");
    }
    int letters = 1;
    int words = LETTERS;
    while (words < regions) {
      letters++;
      words *= LETTERS;
    }
    List<String> starts = new ArrayList<>();
    for (int i = 1; i < regions; i++) {
      starts.add(word((int) ((long) words * i / regions), letters));
    }
    return starts;
  }

  private static String word(int number, int letters) {
    char[] word = new char[letters];
    for (int i = letters - 1, rest = number; i >= 0; i--, rest /= LETTERS) {
      word[i] = (char) ('a' + rest % LETTERS);
    }
    return new String(word);
  }
}
