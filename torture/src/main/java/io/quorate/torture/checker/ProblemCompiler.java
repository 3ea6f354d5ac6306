package io.quorate.torture.checker;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import io.quorate.torture.history.Result;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Translates operations into calls with their accesses to some keys; accesses to other keys are
 * left out.
 *
 * <p>An indeterminate operation becomes an optional call. If its effect depends on a condition, the
 * call can be placed only where the condition holds: otherwise the operation changed nothing, as if
 * it had not been executed. Indeterminate reads and failed operations are dropped, since they do
 * not restrict the order.
 */
final class ProblemCompiler {
  private final List<String> keys;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final Values values = new Values();

  /** By key: every value that a call can set, if no call changes it depending on its value. */
  private final List<TreeSet<Integer>> possible = new ArrayList<>();

  private ProblemCompiler(List<String> keys) {
    this.keys = List.copyOf(keys);
    for (String key : keys) {
      numbers.put(key, numbers.size());
      possible.add(new TreeSet<>(List.of(Values.ABSENT)));
    }
  }

  /** The problem of these keys; the operations are in the order of their invocation. */
  static Problem compile(List<String> keys, List<Operation> operations) {
    return new ProblemCompiler(keys).compile(operations);
  }

  private Problem compile(List<Operation> operations) {
    List<Call> calls = new ArrayList<>();
    for (Operation operation : operations) {
      List<Access> accesses = new ArrayList<>(accesses(operation).values());
      if (!accesses.isEmpty()) {
        boolean ok = operation.outcome() instanceof Outcome.Ok;
        long deadline = ok ? operation.completedNanos() : Call.NEVER;
        calls.add(new Call(operation, accesses, operation.invokedNanos(), deadline));
      }
    }
    boolean[] plain = plainKeys(calls);
    calls.replaceAll(
        call ->
            new Call(
                call.operation(),
                call.accesses().stream()
                    .map(access -> plain[access.key()] ? resolved(access) : access)
                    .toList(),
                call.invoked(),
                call.deadline()));
    return new Problem(keys, values, plain, calls);
  }

  private boolean[] plainKeys(List<Call> calls) {
    boolean[] plain = new boolean[keys.size()];
    Arrays.fill(plain, true);
    for (Call call : calls) {
      for (Access access : call.accesses()) {
        plain[access.key()] &= !access.isTransformer();
        int value = settable(access);
        if (value != Values.NONE) {
          possible.get(access.key()).add(value);
        }
      }
    }
    return plain;
  }

  /** The value that the access can set; {@link Values#NONE} if it sets none, or any. */
  private int settable(Access access) {
    return switch (access.kind()) {
      case WRITE -> ((Access.Write) access).value();
      case REPLACE -> ((Access.Replace) access).value();
      case ADD_TO -> values.id(Long.toString(((Access.AddTo) access).sum()));
      case EXPECT, APPEND, ADD, REFUSED_ADD -> Values.NONE;
    };
  }

  /** The same access, expressed by the values that the key can have. */
  private Access resolved(Access access) {
    return switch (access.kind()) {
      case ADD_TO -> new Access.Replace(access.key(), observable(access), settable(access));
      case REFUSED_ADD -> new Access.Expect(access.key(), observable(access));
      case EXPECT, WRITE, REPLACE, APPEND, ADD -> access;
    };
  }

  /** Those of the possible values of the key that the access can have observed. */
  private IntSet observable(Access access) {
    return IntSet.of(
        possible.get(access.key()).stream()
            .mapToInt(Integer::intValue)
            .filter(value -> access.after(value, values) != Values.NONE)
            .toArray());
  }

  private TreeMap<Integer, Access> accesses(Operation operation) {
    TreeMap<Integer, Access> to = new TreeMap<>();
    Outcome outcome = operation.outcome();
    if (outcome.kind() == Outcome.Kind.FAILED) {
      return to;
    }
    Action action = operation.action();
    if (action instanceof Action.Batch batch) {
      // Of several changes of one key the last one counts.
      batch.changes().forEach(change -> put(change, Optional.empty(), to));
    } else if (action instanceof Action.Scan scan) {
      if (outcome instanceof Outcome.Ok ok) {
        put(scan, (Result.Rows) ok.result(), to);
      }
    } else {
      Optional<Result> result =
          outcome instanceof Outcome.Ok ok ? Optional.of(ok.result()) : Optional.empty();
      put((Action.OnKey) action, result, to);
    }
    return to;
  }

  private void put(Action.Scan scan, Result.Rows rows, TreeMap<Integer, Access> to) {
    numbers.forEach(
        (name, key) -> {
          if (scan.contains(name)) {
            int found = values.id(Optional.ofNullable(rows.rows().get(name)));
            to.put(key, new Access.Expect(key, IntSet.of(found)));
          }
        });
  }

  private void put(Action.OnKey action, Optional<Result> result, TreeMap<Integer, Access> to) {
    Integer key = numbers.get(action.key());
    if (key != null) {
      access(key, action, result).ifPresent(access -> to.put(key, access));
    }
  }

  private Optional<Access> access(int key, Action.OnKey action, Optional<Result> result) {
    return switch (action.kind()) {
      case GET -> result.map(found -> new Access.Expect(key, observed(found)));
      case PUT, DELETE ->
          Optional.of(new Access.Write(key, values.id(((Action.Change) action).written())));
      case INCREMENT -> Optional.of(new Access.Add(key, ((Action.Increment) action).delta()));
      case APPEND -> Optional.of(new Access.Append(key, ((Action.Append) action).suffix()));
      case GET_AND_PUT -> {
        int value = values.id(((Action.GetAndPut) action).value());
        yield Optional.of(
            result.isEmpty()
                ? new Access.Write(key, value)
                : new Access.Replace(key, observed(result.get()), value));
      }
      case INCREMENT_AND_GET ->
          Optional.of(increment(key, ((Action.IncrementAndGet) action).delta(), result));
      case COMPARE_AND_SET ->
          Optional.of(compareAndSet(key, (Action.CompareAndSet) action, result));
      case BATCH, SCAN -> throw new IllegalArgumentException(action + " is not on one key");
    };
  }

  private IntSet observed(Result result) {
    return IntSet.of(values.id(((Result.Found) result).value()));
  }

  private static Access increment(int key, long delta, Optional<Result> result) {
    if (result.isEmpty()) {
      return new Access.Add(key, delta);
    }
    return result.get().kind() == Result.Kind.REFUSED
        ? new Access.RefusedAdd(key, delta)
        : new Access.AddTo(key, delta, ((Result.Sum) result.get()).value());
  }

  private Access compareAndSet(int key, Action.CompareAndSet cas, Optional<Result> result) {
    int expected = values.id(cas.expected());
    if (result.isEmpty() || ((Result.Swap) result.get()).swapped()) {
      return new Access.Replace(key, IntSet.of(expected), values.id(cas.replacement()));
    }
    int found = values.id(((Result.Swap) result.get()).found());
    // A call cannot have observed the expected value and not have replaced it.
    return new Access.Expect(key, found == expected ? IntSet.of() : IntSet.of(found));
  }
}
