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
    if (action instanceof Action.Get get) {
      return new Result.Found(value(get.key()));
    } else if (action instanceof Action.Put put) {
      rows.put(put.key(), put.value());
    } else if (action instanceof Action.Delete delete) {
      rows.remove(delete.key());
    } else if (action instanceof Action.CompareAndSet cas) {
      return compareAndSet(cas);
    } else if (action instanceof Action.Increment increment) {
      add(increment.key(), increment.delta());
    } else if (action instanceof Action.IncrementAndGet increment) {
      return add(increment.key(), increment.delta());
    } else if (action instanceof Action.Append append) {
      rows.merge(append.key(), append.suffix(), String::concat);
    } else if (action instanceof Action.GetAndPut swap) {
      return new Result.Found(Optional.ofNullable(rows.put(swap.key(), swap.value())));
    } else if (action instanceof Action.Batch batch) {
      batch.changes().forEach(this::apply);
    } else if (action instanceof Action.Scan scan) {
      return Result.Rows.of(rows.subMap(scan.from(), scan.to()));
    }
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
