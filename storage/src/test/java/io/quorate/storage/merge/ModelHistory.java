package io.quorate.storage.merge;

import static io.quorate.storage.split.Violation.require;

import io.quorate.protocol.operation.RequestId;
import java.util.HashSet;
import java.util.Set;

/** What clients know of their increments, and what has happened to them. */
final class ModelHistory {
  private record Write(long client, long sequence) {
    static Write of(RequestId tag) {
      return new Write(tag.client().low(), tag.sequence());
    }
  }

  private final Set<Write> executed = new HashSet<>();

  /** Reported as without effect: the numbers must never be executed. */
  private final Set<Write> failed = new HashSet<>();

  private final Set<Write> indeterminate = new HashSet<>();
  private final long[] executedOf = new long[ModelKeys.COUNT + 1];
  private final long[] acknowledgedOf = new long[ModelKeys.COUNT + 1];
  private final long[] indeterminateOf = new long[ModelKeys.COUNT + 1];

  /** The number of increments of a key that have taken effect. */
  long executed(int key) {
    return executedOf[key];
  }

  void executed(RequestId tag, int key) {
    require(executed.add(Write.of(tag)), () -> "a write takes effect once: " + tag);
    require(!failed.contains(Write.of(tag)), () -> "a write that has failed has no effect: " + tag);
    executedOf[key]++;
  }

  void acknowledged(long client, long sequence, int key) {
    require(
        executed.contains(new Write(client, sequence)),
        () -> "an acknowledged write has taken effect: " + client + ":" + sequence);
    acknowledgedOf[key]++;
  }

  void failed(long client, long sequence) {
    Write write = new Write(client, sequence);
    require(
        !executed.contains(write), () -> "a write that has taken effect does not fail: " + write);
    failed.add(write);
  }

  void indeterminate(long client, long sequence, int key) {
    if (indeterminate.add(new Write(client, sequence))) {
      indeterminateOf[key]++;
    }
  }

  /** Requires, when every write has ended, that the sum of a key is possible. */
  void requireExact(int key, long sum) {
    require(
        sum == executedOf[key]
            && sum >= acknowledgedOf[key]
            && sum <= acknowledgedOf[key] + indeterminateOf[key],
        () ->
            "key %d is %d for %d executed, %d acknowledged and %d indeterminate increments"
                .formatted(key, sum, executedOf[key], acknowledgedOf[key], indeterminateOf[key]));
  }
}
