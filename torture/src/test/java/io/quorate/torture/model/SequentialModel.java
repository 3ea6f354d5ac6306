package io.quorate.torture.model;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Result;
import java.math.BigInteger;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The database with a single client and without faults. Not thread-safe. */
final class SequentialModel {
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]+");
  private static final BigInteger LOWEST = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger HIGHEST = BigInteger.valueOf(Long.MAX_VALUE);

  private final TreeMap<String, String> rows;

  SequentialModel() {
    this(new TreeMap<>());
  }

  private SequentialModel(TreeMap<String, String> rows) {
    this.rows = rows;
  }

  SequentialModel copy() {
    return new SequentialModel(new TreeMap<>(rows));
  }

  TreeMap<String, String> rows() {
    return new TreeMap<>(rows);
  }

  Result apply(Action action) {
    return switch (action.kind()) {
      case GET -> new Result.Found(value(((Action.Get) action).key()));
      case PUT, DELETE -> change((Action.Change) action);
      case COMPARE_AND_SET -> compareAndSet((Action.CompareAndSet) action);
      case INCREMENT -> {
        Action.Increment increment = (Action.Increment) action;
        add(increment.key(), increment.delta());
        yield Result.DONE;
      }
      case INCREMENT_AND_GET -> {
        Action.IncrementAndGet increment = (Action.IncrementAndGet) action;
        yield add(increment.key(), increment.delta());
      }
      case APPEND -> {
        Action.Append append = (Action.Append) action;
        rows.merge(append.key(), append.suffix(), String::concat);
        yield Result.DONE;
      }
      case GET_AND_PUT -> {
        Action.GetAndPut swap = (Action.GetAndPut) action;
        yield new Result.Found(Optional.ofNullable(rows.put(swap.key(), swap.value())));
      }
      case BATCH -> {
        ((Action.Batch) action).changes().forEach(this::change);
        yield Result.DONE;
      }
      case SCAN -> {
        Action.Scan scan = (Action.Scan) action;
        yield Result.Rows.of(rows.subMap(scan.from(), scan.to()));
      }
    };
  }

  private Result change(Action.Change change) {
    change
        .written()
        .ifPresentOrElse(value -> rows.put(change.key(), value), () -> rows.remove(change.key()));
    return Result.DONE;
  }

  private Optional<String> value(String key) {
    return Optional.ofNullable(rows.get(key));
  }

  private Result compareAndSet(Action.CompareAndSet cas) {
    Optional<String> found = value(cas.key());
    if (!found.equals(cas.expected())) {
      return new Result.Swap(false, found);
    }
    if (cas.replacement().isPresent()) {
      rows.put(cas.key(), cas.replacement().get());
    } else {
      rows.remove(cas.key());
    }
    return new Result.Swap(true, Optional.empty());
  }

  private Result add(String key, long delta) {
    String before = rows.getOrDefault(key, "0");
    if (!NUMBER.matcher(before).matches()) {
      return Result.REFUSED;
    }
    BigInteger number = new BigInteger(before);
    BigInteger sum = number.add(BigInteger.valueOf(delta));
    if (!fits(number) || !fits(sum)) {
      return Result.REFUSED;
    }
    rows.put(key, sum.toString());
    return new Result.Sum(sum.longValueExact());
  }

  private static boolean fits(BigInteger number) {
    return number.compareTo(LOWEST) >= 0 && number.compareTo(HIGHEST) <= 0;
  }
}
