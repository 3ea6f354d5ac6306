package io.quorate.torture.model;

import io.quorate.torture.history.Action;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** A random sequence of actions. */
@FunctionalInterface
public interface Workload {

  /**
   * The next action.
   *
   * @param number a number that is unique in the history
   */
  Action next(Random random, long number);

  /** Registers: every value is written at most once, except the absent one. */
  static Workload uniqueValues(List<String> keys) {
    return (random, number) -> {
      String key = any(keys, random);
      String value = "v" + number;
      return switch (random.nextInt(20)) {
        case 0 -> new Action.Delete(key);
        case 1, 2, 3 -> new Action.CompareAndSet(key, recent(random, number), Optional.of(value));
        case 4 -> new Action.GetAndPut(key, value);
        case 5, 6, 7, 8, 9, 10 -> new Action.Put(key, value);
        default -> new Action.Get(key);
      };
    };
  }

  /** Registers with so few values that each is written repeatedly. */
  static Workload fewValues(List<String> keys) {
    return (random, number) -> {
      String key = any(keys, random);
      return switch (random.nextInt(8)) {
        case 0 -> new Action.Delete(key);
        case 1, 2 -> new Action.CompareAndSet(key, fewOrNone(random), fewOrNone(random));
        case 3 -> new Action.GetAndPut(key, few(random));
        case 4 -> new Action.Put(key, few(random));
        default -> new Action.Get(key);
      };
    };
  }

  /** Counters that are only incremented, by 1. */
  static Workload counters(List<String> keys) {
    return (random, number) -> {
      String key = any(keys, random);
      return switch (random.nextInt(4)) {
        case 0 -> new Action.IncrementAndGet(key, 1);
        case 1, 2 -> new Action.Increment(key, 1);
        default -> new Action.Get(key);
      };
    };
  }

  /**
   * Lists of elements that are appended once. After {@code operationsPerKey} operations per key,
   * new keys are used.
   */
  static Workload lists(List<String> keys, int operationsPerKey) {
    return (random, number) -> {
      String key = any(keys, random) + "-" + number / (operationsPerKey * (long) keys.size());
      return random.nextBoolean() ? new Action.Append(key, number + ";") : new Action.Get(key);
    };
  }

  /** All actions on the same few keys, with few values. */
  static Workload everything(List<String> keys) {
    return (random, number) -> {
      String key = any(keys, random);
      return switch (random.nextInt(12)) {
        case 0 -> new Action.Delete(key);
        case 1 -> new Action.CompareAndSet(key, fewOrNone(random), fewOrNone(random));
        case 2 -> new Action.GetAndPut(key, few(random));
        case 3 -> new Action.Put(key, few(random));
        case 4 -> new Action.Append(key, few(random));
        case 5, 6 -> new Action.Increment(key, random.nextInt(3) - 1);
        case 7, 8 -> new Action.IncrementAndGet(key, random.nextInt(3) - 1);
        default -> new Action.Get(key);
      };
    };
  }

  /** Unique values, written one by one and in batches, read one by one and by scans. */
  static Workload scansAndBatches(List<String> keys) {
    Workload single = uniqueValues(keys);
    return (random, number) ->
        switch (random.nextInt(10)) {
          case 0, 1 -> scan(keys, random);
          case 2, 3 -> batch(keys, random, "v" + number);
          default -> single.next(random, number);
        };
  }

  /** Everything, with scans and batches. */
  static Workload everythingWithScansAndBatches(List<String> keys) {
    Workload single = everything(keys);
    return (random, number) ->
        switch (random.nextInt(8)) {
          case 0, 1 -> scan(keys, random);
          case 2 -> batch(keys, random, few(random));
          default -> single.next(random, number);
        };
  }

  /** Any of several workloads. */
  static Workload oneOf(Workload... workloads) {
    return (random, number) -> workloads[random.nextInt(workloads.length)].next(random, number);
  }

  private static Action scan(List<String> keys, Random random) {
    String from = any(keys, random);
    String to = any(keys, random);
    return from.compareTo(to) <= 0
        ? new Action.Scan(from, to + "\0")
        : new Action.Scan(to, from + "\0");
  }

  private static Action batch(List<String> keys, Random random, String value) {
    return new Action.Batch(
        IntStream.rangeClosed(0, random.nextInt(3))
            .mapToObj(
                place ->
                    random.nextInt(5) == 0
                        ? new Action.Delete(any(keys, random))
                        : new Action.Put(any(keys, random), value + "." + place))
            .map(Action.Change.class::cast)
            .toList());
  }

  private static Optional<String> recent(Random random, long number) {
    return Optional.of("v" + Math.max(0, number - 1 - random.nextInt(1 + random.nextInt(30))));
  }

  private static Optional<String> fewOrNone(Random random) {
    return random.nextInt(4) == 0 ? Optional.empty() : Optional.of(few(random));
  }

  private static String few(Random random) {
    return random.nextInt(8) == 0 ? "x" : Integer.toString(random.nextInt(3));
  }

  private static String any(List<String> keys, Random random) {
    return keys.get(random.nextInt(keys.size()));
  }
}
