package io.quorate.torture.model;

import io.quorate.torture.history.History;
import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import io.quorate.torture.history.Result;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** Small changes of a history, after which it may or may not be linearizable. */
public enum Mutation {
  /** An operation gets the result of another one, or a wrong one. */
  CHANGE_RESULT {
    @Override
    Operation change(Operation one, Operation other, Random random) {
      if (one.outcome() instanceof Outcome.Ok ok) {
        Result result = other(ok.result(), other, random);
        return one.action().allows(result) ? with(one, new Outcome.Ok(result)) : one;
      }
      return one;
    }
  },
  /** An operation gets the times of another one. */
  MOVE {
    @Override
    Operation change(Operation one, Operation other, Random random) {
      return new Operation(
          one.id(),
          one.client(),
          one.action(),
          other.invokedNanos(),
          other.completedNanos(),
          one.outcome());
    }
  },
  /** An operation gets half of its duration. */
  SHORTEN {
    @Override
    Operation change(Operation one, Operation other, Random random) {
      long half = (one.invokedNanos() + one.completedNanos()) / 2;
      return random.nextBoolean()
          ? new Operation(
              one.id(), one.client(), one.action(), one.invokedNanos(), half, one.outcome())
          : new Operation(
              one.id(), one.client(), one.action(), half, one.completedNanos(), one.outcome());
    }
  },
  /** An acknowledged or indeterminate operation is recorded as failed. */
  FAIL {
    @Override
    Operation change(Operation one, Operation other, Random random) {
      return with(one, Outcome.FAILED);
    }
  };

  abstract Operation change(Operation one, Operation other, Random random);

  /** The history with one of its operations changed, at random. */
  public History apply(History history, Random random) {
    List<Operation> operations = new ArrayList<>(history.operations());
    int place = random.nextInt(operations.size());
    Operation other = operations.get(random.nextInt(operations.size()));
    operations.set(place, change(operations.get(place), other, random));
    return new History(operations);
  }

  private static Operation with(Operation one, Outcome outcome) {
    return new Operation(
        one.id(), one.client(), one.action(), one.invokedNanos(), one.completedNanos(), outcome);
  }

  private static Result other(Result result, Operation other, Random random) {
    if (result instanceof Result.Sum sum) {
      return new Result.Sum(sum.value() + (random.nextBoolean() ? 1 : -1));
    } else if (result instanceof Result.Swap swap && swap.swapped()) {
      return new Result.Swap(false, Optional.empty());
    } else if (result instanceof Result.Rows rows && !rows.rows().isEmpty()) {
      TreeMap<String, String> fewer = new TreeMap<>(rows.rows());
      fewer.remove(random.nextBoolean() ? fewer.firstKey() : fewer.lastKey());
      return new Result.Rows(fewer);
    }
    return other.outcome() instanceof Outcome.Ok ok ? ok.result() : result;
  }
}
