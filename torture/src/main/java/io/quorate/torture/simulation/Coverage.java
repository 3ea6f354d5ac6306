package io.quorate.torture.simulation;

import io.quorate.rabia.core.Counters;
import java.util.Map;
import java.util.TreeMap;

/** Counts of what happened in runs, which show that a simulation reaches every path. */
public final class Coverage {
  private final Map<String, Long> counts = new TreeMap<>();

  void add(String what, long count) {
    counts.merge(what, count, Long::sum);
  }

  void add(Counters counters) {
    add("batches executed", counters.batches());
    add("slots decided by equal proposals", counters.unanimousProposals());
    add("slots decided by equal states", counters.unanimousStates());
    add("slots decided by votes", counters.votes());
    add("slots skipped", counters.skips());
    add("slots learned", counters.learned());
    add("null slots", counters.nulls());
    add("duplicate batches", counters.duplicates());
    add("phases", counters.phases());
    add("own batches issued again", counters.nulledOwn());
    add("abstentions", counters.abstentions());
    add("messages", counters.messages());
    add("slots repeated", counters.repeated());
    add("messages beyond the window", counters.beyondWindow());
    add("bodies dropped", counters.bodiesDropped());
  }

  void add(Coverage other) {
    other.counts.forEach(this::add);
  }

  long count(String what) {
    return counts.getOrDefault(what, 0L);
  }

  /** The counts by name. */
  public Map<String, Long> counts() {
    return new TreeMap<>(counts);
  }

  @Override
  public String toString() {
    return counts.toString();
  }
}
