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
    if (calls.size() > 62) {
      throw new IllegalStateException("More calls than this search is for: " + calls.size());
    }
    if (!search(0, 0, new HashSet<>())) {
      throw new Violation(
          "linearizability", "no order explains key " + key + ": " + String.join("; ", texts()));
    }
  }

  private List<String> texts() {
    return calls.stream().map(Call::toString).toList();
  }

  private record Visited(long done, int value) {}

  private boolean search(long done, int value, Set<Visited> visited) {
    long firstEnd = NEVER;
    for (int i = 0; i < calls.size(); i++) {
      if ((done & (1L << i)) == 0) {
        firstEnd = Math.min(firstEnd, calls.get(i).ended);
      }
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
      boolean possible = (done & (1L << i)) == 0 && call.began <= firstEnd;
      if (possible && (call.write || call.value == value)) {
        if (search(done | (1L << i), call.write ? call.value : value, visited)) {
          return true;
        }
      }
    }
    return false;
  }
}
