package io.quorate.server.verification.history;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** What a client was told about an action that took its place in the order. */
public sealed interface Answer {

  /** A change without a result was made. */
  record Done() implements Answer {
    @Override
    public String toString() {
      return "done";
    }
  }

  /** The value that a get found or that a get-and-put replaced. */
  record Found(Optional<String> value) implements Answer {
    @Override
    public String toString() {
      return Texts.quoted(value);
    }
  }

  /**
   * What a compare-and-set did.
   *
   * @param found the value that was there, if it was not the expected one; otherwise empty
   */
  record Swap(boolean swapped, Optional<String> found) implements Answer {
    public Swap {
      if (swapped && found.isPresent()) {
        throw new IllegalArgumentException(
            "A compare-and-set that replaced the value does not say what it found");
      }
    }

    @Override
    public String toString() {
      return swapped ? "swapped" : "not swapped, found " + Texts.quoted(found);
    }
  }

  /** The sum of an increment-and-get. */
  record Sum(long value) implements Answer {
    @Override
    public String toString() {
      return Long.toString(value);
    }
  }

  /** An increment-and-get met something that it cannot add to, and changed nothing. */
  record Refused() implements Answer {
    @Override
    public String toString() {
      return "refused";
    }
  }

  /** All rows of a scanned range. */
  record Rows(SortedMap<String, String> rows) implements Answer {
    public Rows {
      rows = Collections.unmodifiableSortedMap(new TreeMap<>(rows));
    }

    public static Rows of(Map<String, String> rows) {
      return new Rows(new TreeMap<>(rows));
    }

    @Override
    public String toString() {
      return rows.toString();
    }
  }

  Answer DONE = new Done();
  Answer REFUSED = new Refused();
}
