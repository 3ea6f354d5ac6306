package io.quorate.server.verification.checker;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Answer;
import io.quorate.server.verification.history.Operation;
import io.quorate.server.verification.history.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;

/**
 * Translates operations into what they need of and do to some keys; what they do to other keys is
 * left out.
 *
 * <p>An indeterminate operation becomes a call that may be left out and that, where its effect
 * depends on a condition, is made only when the condition holds: if it does not, the operation
 * changed nothing, which is the same as its never having been. Indeterminate reads and failed
 * operations say nothing and are dropped.
 */
final class ProblemCompiler {
  private final List<String> keys;
  private final Map<String, Integer> numbers = new HashMap<>();
  private final Values values = new Values();

  /** By key: every value that a call can leave there, if no call transforms what it meets. */
  private final List<TreeSet<Integer>> possible = new ArrayList<>();

  private ProblemCompiler(List<String> keys) {
    this.keys = List.copyOf(keys);
    for (String key : keys) {
      numbers.put(key, numbers.size());
      possible.add(new TreeSet<>(List.of(Values.ABSENT)));
    }
  }

  /** The problem of these keys; operations are in the order of their invocation. */
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
        if (access instanceof Access.Write write) {
          possible.get(access.key()).add(write.value());
        } else if (access instanceof Access.Replace replace) {
          possible.get(access.key()).add(replace.value());
        } else if (access instanceof Access.AddTo add) {
          possible.get(access.key()).add(values.id(Long.toString(add.sum())));
        }
      }
    }
    return plain;
  }

  /** The same, by the values that the key can hold. */
  private Access resolved(Access access) {
    if (access instanceof Access.AddTo add) {
      IntSet before = possible(add.key(), value -> add.after(value, values) != Values.NONE);
      return new Access.Replace(add.key(), before, values.id(Long.toString(add.sum())));
    } else if (access instanceof Access.RefusedAdd add) {
      return new Access.Expect(
          add.key(), possible(add.key(), value -> add.after(value, values) != Values.NONE));
    }
    return access;
  }

  private IntSet possible(int key, IntPredicate which) {
    return IntSet.of(
        possible.get(key).stream().mapToInt(Integer::intValue).filter(which).toArray());
  }

  private TreeMap<Integer, Access> accesses(Operation operation) {
    TreeMap<Integer, Access> to = new TreeMap<>();
    Outcome outcome = operation.outcome();
    if (outcome instanceof Outcome.Failed) {
      return to;
    }
    Action action = operation.action();
    if (action instanceof Action.Batch batch) {
      // Blind changes of one key: the last one counts.
      batch.changes().forEach(change -> put(change, Optional.empty(), to));
    } else if (action instanceof Action.Scan scan) {
      if (outcome instanceof Outcome.Ok ok) {
        put(scan, (Answer.Rows) ok.answer(), to);
      }
    } else {
      Optional<Answer> answer =
          outcome instanceof Outcome.Ok ok ? Optional.of(ok.answer()) : Optional.empty();
      put((Action.OnKey) action, answer, to);
    }
    return to;
  }

  private void put(Action.Scan scan, Answer.Rows rows, TreeMap<Integer, Access> to) {
    numbers.forEach(
        (name, key) -> {
          if (scan.contains(name)) {
            int found = values.id(Optional.ofNullable(rows.rows().get(name)));
            to.put(key, new Access.Expect(key, IntSet.of(found)));
          }
        });
  }

  private void put(Action.OnKey action, Optional<Answer> answer, TreeMap<Integer, Access> to) {
    Integer key = numbers.get(action.key());
    if (key != null) {
      access(key, action, answer).ifPresent(access -> to.put(key, access));
    }
  }

  private Optional<Access> access(int key, Action.OnKey action, Optional<Answer> answer) {
    if (action instanceof Action.Get) {
      return answer.map(found -> new Access.Expect(key, found(found)));
    } else if (action instanceof Action.Put put) {
      return Optional.of(new Access.Write(key, values.id(put.value())));
    } else if (action instanceof Action.Delete) {
      return Optional.of(new Access.Write(key, Values.ABSENT));
    } else if (action instanceof Action.Increment increment) {
      return Optional.of(new Access.Add(key, increment.delta()));
    } else if (action instanceof Action.Append append) {
      return Optional.of(new Access.Append(key, append.suffix()));
    } else if (action instanceof Action.GetAndPut swap) {
      int value = values.id(swap.value());
      return Optional.of(
          answer.isEmpty()
              ? new Access.Write(key, value)
              : new Access.Replace(key, found(answer.get()), value));
    } else if (action instanceof Action.IncrementAndGet increment) {
      return Optional.of(increment(key, increment.delta(), answer));
    }
    return Optional.of(compareAndSet(key, (Action.CompareAndSet) action, answer));
  }

  private IntSet found(Answer answer) {
    return IntSet.of(values.id(((Answer.Found) answer).value()));
  }

  private static Access increment(int key, long delta, Optional<Answer> answer) {
    if (answer.isEmpty()) {
      return new Access.Add(key, delta);
    }
    return answer.get() instanceof Answer.Sum sum
        ? new Access.AddTo(key, delta, sum.value())
        : new Access.RefusedAdd(key, delta);
  }

  private Access compareAndSet(int key, Action.CompareAndSet cas, Optional<Answer> answer) {
    int expected = values.id(cas.expected());
    if (answer.isEmpty() || ((Answer.Swap) answer.get()).swapped()) {
      return new Access.Replace(key, IntSet.of(expected), values.id(cas.replacement()));
    }
    int found = values.id(((Answer.Swap) answer.get()).found());
    // Nobody can have found what was expected and yet not have replaced it.
    return new Access.Expect(key, found == expected ? IntSet.of() : IntSet.of(found));
  }
}
