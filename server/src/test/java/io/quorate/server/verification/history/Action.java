package io.quorate.server.verification.history;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a client asked for. Keys and values are bytes, each written as the character of the same
 * code (ISO 8859-1), so that nothing that was read is lost and keys are ordered as the database
 * orders them.
 *
 * <p>The meaning of each action is that of {@code io.quorate.operation.Operation}; limits on sizes
 * are not modelled.
 */
public sealed interface Action {

  /** Whether this is the kind of answer that the action can get. */
  boolean answeredBy(Answer answer);

  /** An action on one key. */
  sealed interface OnKey extends Action {
    String key();
  }

  /** A change that a batch can hold. */
  sealed interface Change extends OnKey {}

  record Get(String key) implements OnKey {
    @Override
    public boolean answeredBy(Answer answer) {
      return answer instanceof Answer.Found;
    }

    @Override
    public String toString() {
      return "get " + key;
    }
  }

  record Put(String key, String value) implements Change {
    @Override
    public boolean answeredBy(Answer answer) {
      return answer instanceof Answer.Done;
    }

    @Override
    public String toString() {
      return "put " + key + " " + Texts.quoted(value);
    }
  }

  record Delete(String key) implements Change {
    @Override
    public boolean answeredBy(Answer answer) {
      return answer instanceof Answer.Done;
    }

    @Override
    public String toString() {
      return "delete " + key;
    }
  }

  /**
   * Replaces the value if it is what was expected.
   *
   * @param expected the value there must be; empty for "no value"
   * @param replacement the value there shall be; empty to remove the key
   */
  record CompareAndSet(String key, Optional<String> expected, Optional<String> replacement)
      implements OnKey {
    @Override
    public boolean answeredBy(Answer answer) {
      return answer instanceof Answer.Swap;
    }

    @Override
    public String toString() {
      return "cas " + key + " " + Texts.quoted(expected) + " to " + Texts.quoted(replacement);
    }
  }

  /** Adds to the number, without an answer; changes nothing if there is no number. */
  record Increment(String key, long delta) implements OnKey {
    @Override
    public boolean answeredBy(Answer answer) {
      return answer instanceof Answer.Done;
    }

    @Override
    public String toString() {
      return "increment " + key + " by " + delta;
    }
  }

  /** Adds to the number and answers the sum; refused if there is no number. */
  record IncrementAndGet(String key, long delta) implements OnKey {
    @Override
    public boolean answeredBy(Answer answer) {
      return answer instanceof Answer.Sum || answer instanceof Answer.Refused;
    }

    @Override
    public String toString() {
      return "increment-and-get " + key + " by " + delta;
    }
  }

  /** Adds at the end of the value, which counts as empty if there is none. */
  record Append(String key, String suffix) implements OnKey {
    @Override
    public boolean answeredBy(Answer answer) {
      return answer instanceof Answer.Done;
    }

    @Override
    public String toString() {
      return "append " + key + " " + Texts.quoted(suffix);
    }
  }

  /** Sets the value and answers what it was. */
  record GetAndPut(String key, String value) implements OnKey {
    @Override
    public boolean answeredBy(Answer answer) {
      return answer instanceof Answer.Found;
    }

    @Override
    public String toString() {
      return "get-and-put " + key + " " + Texts.quoted(value);
    }
  }

  /** Changes that take effect together, in order. */
  record Batch(List<Change> changes) implements Action {
    public Batch {
      changes = List.copyOf(changes);
    }

    @Override
    public boolean answeredBy(Answer answer) {
      return answer instanceof Answer.Done;
    }

    @Override
    public String toString() {
      return changes.stream()
          .map(Change::toString)
          .collect(Collectors.joining(", ", "batch (", ")"));
    }
  }

  /**
   * Reads all rows of a range at one moment. A scan that was answered in several pages, each of its
   * own moment, is recorded as several scans.
   *
   * @param from lowest key
   * @param to the key before which the range ends
   */
  record Scan(String from, String to) implements Action {
    public Scan {
      if (from.compareTo(to) > 0) {
        throw new IllegalArgumentException("A scan cannot go from " + from + " down to " + to);
      }
    }

    /** Whether the key is in the range. */
    public boolean contains(String key) {
      return from.compareTo(key) <= 0 && key.compareTo(to) < 0;
    }

    @Override
    public boolean answeredBy(Answer answer) {
      return answer instanceof Answer.Rows rows
          && rows.rows().keySet().stream().allMatch(this::contains);
    }

    @Override
    public String toString() {
      return "scan " + from + " to " + to;
    }
  }
}
