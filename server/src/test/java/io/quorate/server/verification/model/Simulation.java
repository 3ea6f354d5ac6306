package io.quorate.server.verification.model;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Answer;
import io.quorate.server.verification.history.History;
import io.quorate.server.verification.history.Operation;
import io.quorate.server.verification.history.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;

/**
 * Clients at work on one sequential database, each operation at a random moment between its
 * invocation and its completion. With {@link Misbehaviour#NONE} every history is linearizable.
 */
public final class Simulation {
  /** What the database does wrong, once. */
  public enum Misbehaviour {
    NONE,
    /** It acknowledges a change and does not make it. */
    LOSE_EFFECT,
    /** It makes a change twice. */
    REPEAT_EFFECT,
    /** It answers a read from what it held some time ago. */
    ANSWER_STALE,
    /** It answers a scan partly from what it held some time ago. */
    TEAR_SCAN,
    /** It makes a part of a batch later. */
    TEAR_BATCH
  }

  /**
   * How the clients work.
   *
   * @param operations how many they begin together
   * @param indeterminatePerMille of a thousand operations, how many have an unknown outcome; one
   *     half of those takes effect, at some time
   * @param failedPerMille of a thousand operations, how many do not take effect
   */
  public record Shape(int clients, int operations, int indeterminatePerMille, int failedPerMille) {}

  private static final long OPERATION_NANOS_MAX = 1_000;

  private record Event(long nanos, Runnable what) {}

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
  private SequentialModel lessPast = new SequentialModel();
  private long now;
  private long begun;
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
      events.remove().what().run();
    }
  }

  private void at(long nanos, Runnable what) {
    events.add(new Event(nanos, what));
  }

  private void begin(int client) {
    if (begun == shape.operations()) {
      return;
    }
    long id = begun++;
    Action action = workload.next(random, id);
    long invoked = now;
    long effect = invoked + random.nextLong(OPERATION_NANOS_MAX);
    long completed = effect + random.nextLong(OPERATION_NANOS_MAX);
    int luck = random.nextInt(1000);
    if (luck < shape.indeterminatePerMille()) {
      if (random.nextBoolean()) {
        at(effect + random.nextLong(10 * OPERATION_NANOS_MAX), () -> apply(id, action));
      }
      add(id, client, action, invoked, completed, Outcome.INDETERMINATE);
    } else if (luck < shape.indeterminatePerMille() + shape.failedPerMille()) {
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

  private Answer apply(long id, Action action) {
    if (id % (2L * shape.clients()) == 0) {
      past = lessPast;
      lessPast = model.copy();
    }
    if (!misbehaved && id >= misbehavesFrom && isOccasion(action)) {
      misbehaved = true;
      return misbehave(action);
    }
    return model.apply(action);
  }

  private boolean isOccasion(Action action) {
    boolean read = action instanceof Action.Get || action instanceof Action.Scan;
    return switch (misbehaviour) {
      case NONE -> false;
      case LOSE_EFFECT, REPEAT_EFFECT -> !read;
      case ANSWER_STALE -> read;
      case TEAR_SCAN -> action instanceof Action.Scan;
      case TEAR_BATCH -> action instanceof Action.Batch batch && batch.changes().size() > 1;
    };
  }

  private Answer misbehave(Action action) {
    if (misbehaviour == Misbehaviour.LOSE_EFFECT) {
      return model.copy().apply(action);
    } else if (misbehaviour == Misbehaviour.ANSWER_STALE) {
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

  /** The first row as it was, the others as they are. */
  private Answer torn(Action.Scan scan) {
    TreeMap<String, String> rows = new TreeMap<>(model.rows().subMap(scan.from(), scan.to()));
    Map.Entry<String, String> old = past.rows().ceilingEntry(scan.from());
    if (old != null && scan.contains(old.getKey())) {
      rows.put(old.getKey(), old.getValue());
    }
    return new Answer.Rows(rows);
  }
}
