package io.quorate.torture.model;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.History;
import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import io.quorate.torture.history.Result;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;

/**
 * Clients that operate on one sequential database, where each operation takes effect at a random
 * time between its invocation and its completion. With {@link Misbehaviour#NONE} every history is
 * linearizable.
 */
public final class Simulation {
  /** A fault of the database, which happens once. */
  public enum Misbehaviour {
    NONE,
    /** A change is acknowledged and not made. */
    LOSE_EFFECT,
    /** A change is made twice. */
    REPEAT_EFFECT,
    /** A read returns a past state. */
    RETURN_STALE,
    /** A scan returns a mixture of a past and the present state. */
    TEAR_SCAN,
    /** A part of a batch is applied later. */
    TEAR_BATCH
  }

  /**
   * The size of a history and the frequency of failures.
   *
   * @param operations the number of operations of all clients together
   * @param indeterminatePerMille of a thousand operations, the number with an unknown outcome; half
   *     of them take effect at some time
   * @param failedPerMille of a thousand operations, the number that do not take effect
   */
  public record Shape(int clients, int operations, int indeterminatePerMille, int failedPerMille) {}

  private static final long OPERATION_NANOS_MAX = 1_000;

  private record Event(long nanos, Runnable task) {}

  private final Shape shape;
  private final Workload workload;
  private final Misbehaviour misbehaviour;
  private final long misbehavesFrom;
  private final Random random;
  private final SequentialModel model = new SequentialModel();
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::nanos));
  private final List<Operation> operations = new ArrayList<>();
  private SequentialModel past = new SequentialModel();
  private SequentialModel nextPast = new SequentialModel();
  private long now;
  private long invokedCount;
  private boolean misbehaved;

  private Simulation(Shape shape, Workload workload, Misbehaviour misbehaviour, Random random) {
    this.shape = shape;
    this.workload = workload;
    this.misbehaviour = misbehaviour;
    this.random = random;
    misbehavesFrom = random.nextInt(shape.operations());
  }

  /** A history; the same for the same seed. */
  public static History run(Shape shape, Workload workload, Misbehaviour misbehaviour, long seed) {
    Simulation simulation = new Simulation(shape, workload, misbehaviour, new Random(seed));
    simulation.run();
    return new History(simulation.operations);
  }

  private void run() {
    for (int client = 0; client < shape.clients(); client++) {
      int number = client;
      at(random.nextLong(OPERATION_NANOS_MAX), () -> begin(number));
    }
    while (!events.isEmpty()) {
      now = events.peek().nanos();
      events.remove().task().run();
    }
  }

  private void at(long nanos, Runnable task) {
    events.add(new Event(nanos, task));
  }

  private void begin(int client) {
    if (invokedCount == shape.operations()) {
      return;
    }
    long id = invokedCount++;
    Action action = workload.next(random, id);
    long invoked = now;
    long effect = invoked + random.nextLong(OPERATION_NANOS_MAX);
    long completed = effect + random.nextLong(OPERATION_NANOS_MAX);
    int draw = random.nextInt(1000);
    if (draw < shape.indeterminatePerMille()) {
      if (random.nextBoolean()) {
        at(effect + random.nextLong(10 * OPERATION_NANOS_MAX), () -> apply(id, action));
      }
      add(id, client, action, invoked, completed, Outcome.INDETERMINATE);
    } else if (draw < shape.indeterminatePerMille() + shape.failedPerMille()) {
      add(id, client, action, invoked, completed, Outcome.FAILED);
    } else {
      at(
          effect,
          () -> add(id, client, action, invoked, completed, new Outcome.Ok(apply(id, action))));
    }
    at(completed + random.nextLong(OPERATION_NANOS_MAX), () -> begin(client));
  }

  private void add(
      long id, int client, Action action, long invoked, long completed, Outcome outcome) {
    operations.add(new Operation(id, client, action, invoked, completed, outcome));
  }

  private Result apply(long id, Action action) {
    if (id % (2L * shape.clients()) == 0) {
      past = nextPast;
      nextPast = model.copy();
    }
    if (!misbehaved && id >= misbehavesFrom && canMisbehave(action)) {
      misbehaved = true;
      return misbehave(action);
    }
    return model.apply(action);
  }

  private boolean canMisbehave(Action action) {
    boolean read = action.isRead();
    return switch (misbehaviour) {
      case NONE -> false;
      case LOSE_EFFECT, REPEAT_EFFECT -> !read;
      case RETURN_STALE -> read;
      case TEAR_SCAN -> action instanceof Action.Scan;
      case TEAR_BATCH -> action instanceof Action.Batch batch && batch.changes().size() > 1;
    };
  }

  private Result misbehave(Action action) {
    if (misbehaviour == Misbehaviour.LOSE_EFFECT) {
      return model.copy().apply(action);
    } else if (misbehaviour == Misbehaviour.RETURN_STALE) {
      return past.apply(action);
    } else if (action instanceof Action.Scan scan) {
      return torn(scan);
    } else if (misbehaviour == Misbehaviour.TEAR_BATCH && action instanceof Action.Batch batch) {
      int half = batch.changes().size() / 2;
      List<Action.Change> rest = batch.changes().subList(half, batch.changes().size());
      at(now + OPERATION_NANOS_MAX, () -> model.apply(new Action.Batch(rest)));
      return model.apply(new Action.Batch(batch.changes().subList(0, half)));
    }
    model.apply(action);
    return model.apply(action);
  }

  /** Returns the first row from a past state, and the others from the present state. */
  private Result torn(Action.Scan scan) {
    TreeMap<String, String> rows = new TreeMap<>(model.rows().subMap(scan.from(), scan.to()));
    Map.Entry<String, String> old = past.rows().ceilingEntry(scan.from());
    if (old != null && scan.contains(old.getKey())) {
      rows.put(old.getKey(), old.getValue());
    }
    return new Result.Rows(rows);
  }
}
