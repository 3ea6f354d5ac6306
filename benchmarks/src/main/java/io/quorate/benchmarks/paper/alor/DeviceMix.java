package io.quorate.benchmarks.paper.alor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The devices of the nodes of a cluster.
 *
 * @param classes one for each node, in the order of the nodes
 */
record DeviceMix(List<DeviceClass> classes) {
  private static final Pattern PART = Pattern.compile("(\\d+)([NHP])");

  DeviceMix {
    classes = List.copyOf(classes);
  }

  /**
   * Parses the notation of the paper.
   *
   * @param text such as {@code 1N2H3P}
   * @throws IllegalArgumentException if it is not in this notation
   */
  static DeviceMix parse(String text) {
    if (!text.matches("(" + PART.pattern() + ")+")) {
      throw new IllegalArgumentException("A mix of devices is like 1N2H3P, not " + text + ".");
    }
    List<DeviceClass> classes = new ArrayList<>();
    for (MatchResult part : PART.matcher(text).results().toList()) {
      for (int i = 0; i < Integer.parseInt(part.group(1)); i++) {
        classes.add(DeviceClass.valueOf(part.group(2)));
      }
    }
    return new DeviceMix(classes);
  }

  int nodes() {
    return classes.size();
  }

  /** The slowest class of the mix. */
  DeviceClass slowest() {
    return classes.stream().max(Comparator.naturalOrder()).orElseThrow();
  }
}
