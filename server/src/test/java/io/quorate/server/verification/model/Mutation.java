package io.quorate.server.verification.model;

import io.quorate.server.verification.history.Answer;
import io.quorate.server.verification.history.History;
import io.quorate.server.verification.history.Operation;
import io.quorate.server.verification.history.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** Small falsifications of a history, after which it may or may not be linearizable. */
public enum Mutation {
  /** An answer becomes one that another operation of the same sort got, or almost. */
  CHANGE_ANSWER {
    @Override
    Operation change(Operation one, Operation other, Random random) {
      if (one.outcome() instanceof Outcome.Ok ok) {
        Answer answer = other(ok.answer(), other, random);
        return one.action().answeredBy(answer) ? with(one, new Outcome.Ok(answer)) : one;
      }
      return one;
    }
  },
  /** An operation takes place when another one did. */
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
  /** An operation was shorter than it was. */
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
  /** What was acknowledged, or of unknown outcome, is said to have failed. */
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

  private static Answer other(Answer answer, Operation other, Random random) {
    if (answer instanceof Answer.Sum sum) {
      return new Answer.Sum(sum.value() + (random.nextBoolean() ? 1 : -1));
    } else if (answer instanceof Answer.Swap swap && swap.swapped()) {
      return new Answer.Swap(false, Optional.empty());
    } else if (answer instanceof Answer.Rows rows && !rows.rows().isEmpty()) {
      TreeMap<String, String> fewer = new TreeMap<>(rows.rows());
      fewer.remove(random.nextBoolean() ? fewer.firstKey() : fewer.lastKey());
      return new Answer.Rows(fewer);
    }
    return other.outcome() instanceof Outcome.Ok ok ? ok.answer() : answer;
  }
}
