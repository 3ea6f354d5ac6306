package io.quorate.torture.history;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The result of an action that took effect. */
public sealed interface Result {

  /**
   * The kinds of results, one for each record. A switch expression over them compiles only if it
   * covers every result.
   */
  enum Kind {
    DONE,
    FOUND,
    SWAP,
    SUM,
    REFUSED,
    ROWS
  }

  Kind kind();

  /** The keys that the result contains. */
  default Collection<String> keys() {
    return switch (kind()) {
      case ROWS -> ((Rows) this).rows().keySet();
      case DONE, FOUND, SWAP, SUM, REFUSED -> List.of();
    };
  }

  /** The result of a change that returns no value. */
  record Done() implements Result {
    @Override
    public Kind kind() {
      return Kind.DONE;
    }

    @Override
    public String toString() {
      return "done";
    }
  }

  /** The value that a get read or that a get-and-put replaced; empty if there was none. */
  record Found(Optional<String> value) implements Result {
    @Override
    public Kind kind() {
      return Kind.FOUND;
    }

    @Override
    public String toString() {
      return Texts.quoted(value);
    }
  }

  /**
   * The result of a compare-and-set.
   *
   * @param found the value at that time if it was not swapped; empty if there was none, or if it
   *     was swapped
   */
  record Swap(boolean swapped, Optional<String> found) implements Result {
    public Swap {
      if (swapped && found.isPresent()) {
        throw new IllegalArgumentException(
            "A compare-and-set that replaced the value does not return the value it found");
      }
    }

    @Override
    public Kind kind() {
      return Kind.SWAP;
    }

    @Override
    public String toString() {
      return swapped ? "swapped" : "not swapped, found " + Texts.quoted(found);
    }
  }

  /** The sum of an increment-and-get. */
  record Sum(long value) implements Result {
    @Override
    public Kind kind() {
      return Kind.SUM;
    }

    @Override
    public String toString() {
      return Long.toString(value);
    }
  }

  /** An increment-and-get was refused because it cannot add to the value; it changed nothing. */
  record Refused() implements Result {
    @Override
    public Kind kind() {
      return Kind.REFUSED;
    }

    @Override
    public String toString() {
      return "refused";
    }
  }

  /** All rows of a scanned range. */
  record Rows(SortedMap<String, String> rows) implements Result {
    public Rows {
      rows = Collections.unmodifiableSortedMap(new TreeMap<>(rows));
    }

    public static Rows of(Map<String, String> rows) {
      return new Rows(new TreeMap<>(rows));
    }

    @Override
    public Kind kind() {
      return Kind.ROWS;
    }

    @Override
    public String toString() {
      return rows.toString();
    }
  }

  Result DONE = new Done();
  Result REFUSED = new Refused();
}
