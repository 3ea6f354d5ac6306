package io.quorate.rabia.simulation;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What clients saw of one key, and whether some order explains it: a search for a linearization
 * (Wing and Gong), with the visited states remembered (Lowe).
 */
final class RegisterHistory {
  private static final long NEVER = Long.MAX_VALUE;

  private static final class Call {
    private final boolean write;
    private final long began;
    private int value;
    private long ended = NEVER;

    private Call(boolean write, int value, long began) {
      this.write = write;
      this.value = value;
      this.began = began;
    }

    @Override
    public String toString() {
      String end = ended == NEVER ? "?" : String.valueOf(ended / 1000);
      return (write ? "put " : "get ") + value + " [" + began / 1000 + ", " + end + "] us";
    }
  }

  private final List<Call> calls = new ArrayList<>();

  /** Number of a write that begins now. It may take effect at any time from now on. */
  int beginWrite(int value, long now) {
    calls.add(new Call(true, value, now));
    return calls.size() - 1;
  }

  void endWrite(int call, long now) {
    calls.get(call).ended = now;
  }

  /** A read that is over; one that was given up says nothing. */
  void read(int value, long began, long now) {
    Call call = new Call(false, value, began);
    call.ended = now;
    calls.add(call);
  }

  /** Throws unless some order of the calls explains what was read. */
  void check(int key) {
    List<Call> relevant = relevant();
    if (relevant.size() > 62) {
      throw new IllegalStateException("More calls than this search is for: " + calls.size());
    }
    if (!new Search(relevant).explains(0, 0)) {
      throw new Violation(
          "linearizability", "no order explains key " + key + ": " + String.join("; ", texts()));
    }
  }

  /** Without writes that never ended and whose value nobody read: they need not have happened. */
  private List<Call> relevant() {
    Set<Integer> read = new HashSet<>();
    calls.stream().filter(call -> !call.write).forEach(call -> read.add(call.value));
    return calls.stream().filter(call -> call.ended != NEVER || read.contains(call.value)).toList();
  }

  private List<String> texts() {
    return calls.stream().map(Call::toString).toList();
  }

  /** A state of the search: which calls have been placed, and what the register holds then. */
  private record Visited(long done, int value) {}

  private static final class Search {
    private final List<Call> calls;
    private final Set<Visited> visited = new HashSet<>();

    private Search(List<Call> calls) {
      this.calls = calls;
    }

    private boolean explains(long before, int value) {
      long firstEnd = firstEnd(before);
      long done = before;
      // A read that fits now changes nothing, so it is placed without a choice.
      for (int i = 0; i < calls.size(); i++) {
        Call call = calls.get(i);
        if (!call.write && call.value == value && isPossible(i, done, firstEnd)) {
          done |= 1L << i;
        }
      }
      if (done != before) {
        return explains(done, value);
      }
      if (firstEnd == NEVER) {
        // What is left never ended; it need not have happened.
        return true;
      }
      if (!visited.add(new Visited(done, value))) {
        return false;
      }
      for (int i = 0; i < calls.size(); i++) {
        Call call = calls.get(i);
        if (call.write && isPossible(i, done, firstEnd) && explains(done | (1L << i), call.value)) {
          return true;
        }
      }
      return false;
    }

    private long firstEnd(long done) {
      long firstEnd = NEVER;
      for (int i = 0; i < calls.size(); i++) {
        if ((done & (1L << i)) == 0) {
          firstEnd = Math.min(firstEnd, calls.get(i).ended);
        }
      }
      return firstEnd;
    }

    private boolean isPossible(int i, long done, long firstEnd) {
      return (done & (1L << i)) == 0 && calls.get(i).began <= firstEnd;
    }
  }
}
