package io.quorate.torture.history;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Collectors;

/**
 * The request of an operation. Keys and values are bytes, each represented by the character with
 * the same code (ISO 8859-1), so that every value is represented exactly and keys have the same
 * order as in the database.
 *
 * <p>The meaning of each action is that of {@code io.quorate.protocol.operation.Operation}; limits
 * on sizes are not modelled.
 */
public sealed interface Action {

  /**
   * The kinds of actions, one for each record. A switch expression over them compiles only if it
   * covers every action.
   */
  enum Kind {
    GET("get"),
    PUT("put"),
    DELETE("delete"),
    COMPARE_AND_SET("cas"),
    INCREMENT("increment"),
    INCREMENT_AND_GET("increment-and-get"),
    APPEND("append"),
    GET_AND_PUT("get-and-put"),
    BATCH("batch"),
    SCAN("scan");

    private static final Kind[] ALL = values();

    private final String word;

    Kind(String word) {
      this.word = word;
    }

    /** The name in a history file. */
    String word() {
      return word;
    }

    /** The kind with this name; empty if there is none. */
    static Optional<Kind> of(String word) {
      for (Kind kind : ALL) {
        if (kind.word.equals(word)) {
          return Optional.of(kind);
        }
      }
      return Optional.empty();
    }
  }

  Kind kind();

  /** Whether the action can have a result of this kind. */
  boolean allows(Result result);

  /** The keys that the action names, in order; none for a scan, which names a range. */
  List<String> keys();

  /** Those of the keys of a database that the action reads or changes; some may occur twice. */
  Collection<String> keysAmong(SortedSet<String> all);

  /** Whether the action changes nothing, whatever its result. */
  default boolean isRead() {
    return switch (kind()) {
      case GET, SCAN -> true;
      case PUT, DELETE, COMPARE_AND_SET, INCREMENT, INCREMENT_AND_GET, APPEND, GET_AND_PUT, BATCH ->
          false;
    };
  }

  /** An action on one key. */
  sealed interface OnKey extends Action {
    String key();

    @Override
    default List<String> keys() {
      return List.of(key());
    }

    @Override
    default Collection<String> keysAmong(SortedSet<String> all) {
      return keys();
    }
  }

  /** A change that a batch can contain. */
  sealed interface Change extends OnKey {
    /** The value that the key has after the change; empty if it has none. */
    Optional<String> written();
  }

  record Get(String key) implements OnKey {
    @Override
    public Kind kind() {
      return Kind.GET;
    }

    @Override
    public boolean allows(Result result) {
      return result instanceof Result.Found;
    }

    @Override
    public String toString() {
      return "get " + key;
    }
  }

  record Put(String key, String value) implements Change {
    @Override
    public Kind kind() {
      return Kind.PUT;
    }

    @Override
    public Optional<String> written() {
      return Optional.of(value);
    }

    @Override
    public boolean allows(Result result) {
      return result instanceof Result.Done;
    }

    @Override
    public String toString() {
      return "put " + key + " " + Texts.quoted(value);
    }
  }

  record Delete(String key) implements Change {
    @Override
    public Kind kind() {
      return Kind.DELETE;
    }

    @Override
    public Optional<String> written() {
      return Optional.empty();
    }

    @Override
    public boolean allows(Result result) {
      return result instanceof Result.Done;
    }

    @Override
    public String toString() {
      return "delete " + key;
    }
  }

  /**
   * Replaces the value if it equals the expected one.
   *
   * @param expected the expected value; empty for "no value"
   * @param replacement the new value; empty to delete the key
   */
  record CompareAndSet(String key, Optional<String> expected, Optional<String> replacement)
      implements OnKey {
    @Override
    public Kind kind() {
      return Kind.COMPARE_AND_SET;
    }

    @Override
    public boolean allows(Result result) {
      return result instanceof Result.Swap;
    }

    @Override
    public String toString() {
      return "cas " + key + " " + Texts.quoted(expected) + " to " + Texts.quoted(replacement);
    }
  }

  /** Adds to a number without returning the sum; changes nothing if the value is no number. */
  record Increment(String key, long delta) implements OnKey {
    @Override
    public Kind kind() {
      return Kind.INCREMENT;
    }

    @Override
    public boolean allows(Result result) {
      return result instanceof Result.Done;
    }

    @Override
    public String toString() {
      return "increment " + key + " by " + delta;
    }
  }

  /** Adds to a number and returns the sum; refused if the value is no number. */
  record IncrementAndGet(String key, long delta) implements OnKey {
    @Override
    public Kind kind() {
      return Kind.INCREMENT_AND_GET;
    }

    @Override
    public boolean allows(Result result) {
      return result instanceof Result.Sum || result instanceof Result.Refused;
    }

    @Override
    public String toString() {
      return "increment-and-get " + key + " by " + delta;
    }
  }

  /** Appends to the value; a missing value counts as empty. */
  record Append(String key, String suffix) implements OnKey {
    @Override
    public Kind kind() {
      return Kind.APPEND;
    }

    @Override
    public boolean allows(Result result) {
      return result instanceof Result.Done;
    }

    @Override
    public String toString() {
      return "append " + key + " " + Texts.quoted(suffix);
    }
  }

  /** Sets the value and returns the previous one. */
  record GetAndPut(String key, String value) implements OnKey {
    @Override
    public Kind kind() {
      return Kind.GET_AND_PUT;
    }

    @Override
    public boolean allows(Result result) {
      return result instanceof Result.Found;
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
    public Kind kind() {
      return Kind.BATCH;
    }

    @Override
    public List<String> keys() {
      return changes.stream().map(Change::key).toList();
    }

    @Override
    public Collection<String> keysAmong(SortedSet<String> all) {
      return keys();
    }

    @Override
    public boolean allows(Result result) {
      return result instanceof Result.Done;
    }

    @Override
    public String toString() {
      return changes.stream()
          .map(Change::toString)
          .collect(Collectors.joining(", ", "batch (", ")"));
    }
  }

  /**
   * Reads all rows of a range at one moment. A scan of several pages, each read at its own moment,
   * is recorded as several scans.
   *
   * @param from the first key of the range
   * @param to the exclusive end of the range
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
    public Kind kind() {
      return Kind.SCAN;
    }

    @Override
    public List<String> keys() {
      return List.of();
    }

    @Override
    public Collection<String> keysAmong(SortedSet<String> all) {
      return all.subSet(from, to);
    }

    @Override
    public boolean allows(Result result) {
      return result instanceof Result.Rows rows
          && rows.rows().keySet().stream().allMatch(this::contains);
    }

    @Override
    public String toString() {
      return "scan " + from + " to " + to;
    }
  }
}
