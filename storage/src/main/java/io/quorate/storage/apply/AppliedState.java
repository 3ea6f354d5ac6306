package io.quorate.storage.apply;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.command.OperationExecutor;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.context.StorageContext;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.context.Takeover;
import io.quorate.storage.digest.RegionDigester;
import io.quorate.storage.garbage.BodyHorizon;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.read.ReadMeter;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.rocks.MetaRows;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The state of one region as it is in the database: its shape, sessions and applied position, and
 * the bodies that are settled in it. Executes batches on it, writes them together, and publishes
 * what was written.
 *
 * <p>Changed by one thread at a time, which is in the region's {@link
 * io.quorate.storage.context.ChangeGate} and may block on the disk. The published values may be
 * read by any thread; each belongs to the state in the database or to an older one.
 */
public final class AppliedState {
  static final KeyRange NO_KEYS = KeyRange.of(Key.EMPTY, Key.EMPTY);

  private final StorageContext context;
  private final GroupId region;
  private final Keyspace keyspace;
  private final Family family;
  private final OperationExecutor execution;
  private final Optional<BodyStore> bodies;
  private final ReadMeter meter;
  private final RegionDigester digester;

  private volatile Position position = Position.NONE;

  /**
   * Set after the write of the state to which it belongs, and before {@link #shape}: what a region
   * has left behind by a split is searched for with the horizon of the split.
   */
  private volatile BodyHorizon horizon = BodyHorizon.NONE;

  /** Set before {@link #position}. */
  private volatile RegionShape shape;

  private volatile int sessionCount;
  private volatile int openSessionCount;

  /** As written; empty if that is unknown, so that they are loaded again. */
  private Optional<Sessions> sessions = Optional.empty();

  /**
   * @param bodies the bodies of large values; empty if no value of the region can be one
   */
  public AppliedState(
      StorageContext context,
      GroupId region,
      Keyspace keyspace,
      OperationExecutor execution,
      Optional<BodyStore> bodies,
      ReadMeter meter,
      RegionDigester digester) {
    this.context = context;
    this.region = region;
    this.keyspace = keyspace;
    this.family = Family.of(keyspace);
    this.execution = execution;
    this.bodies = bodies;
    this.meter = meter;
    this.digester = digester;
    this.shape = RegionShape.initial(region, NO_KEYS);
  }

  /** Position up to which all batches are applied and written. Any thread. */
  public Position position() {
    return position;
  }

  /** The shape of the region; of no keys without a base. Any thread. */
  public RegionShape shape() {
    return shape;
  }

  /**
   * Which bodies are settled: the rows in the database are those of the state to which this belongs
   * or of a later one. Any thread.
   */
  public BodyHorizon bodyHorizon() {
    return horizon;
  }

  /** Number of client sessions. Any thread. */
  public int sessionCount() {
    return sessionCount;
  }

  /** Number of client sessions that have not ended. Any thread. */
  public int openSessionCount() {
    return openSessionCount;
  }

  /**
   * Loads the state from the database. Blocks.
   *
   * @return whether the region has a base, without which nothing can be applied
   */
  boolean load() throws IOException {
    Optional<MetaRows.Base> base = context.meta().base(region);
    RegionShape loaded =
        base.map(MetaRows.Base::shape).orElse(RegionShape.initial(region, NO_KEYS));
    Position applied = context.meta().applied(region);
    horizon =
        applied.equals(Position.NONE) && loaded.inheritsBodies()
            ? BodyHorizon.afterInherited(loaded.inheritedEpoch())
            : BodyHorizon.at(applied);
    shape = loaded;
    sessions = Optional.empty();
    count(currentSessions());
    position = applied;
    return base.isPresent();
  }

  /**
   * Applies batches with one write: all of them, or those up to one that changes the shape of the
   * region or requests a digest. Blocks.
   *
   * @param batches at least one, in the order of their positions; for those that the state contains
   *     the results are looked up
   * @return the batches that were applied, or {@link Iteration.Outcome#LATER}
   * @throws IOException if the disk fails; the state has not changed, and the call may be repeated
   */
  Iteration apply(List<DecodedBatch> batches) throws IOException {
    Sessions current = currentSessions();
    // Until the write has succeeded, memory is ahead of the database.
    sessions = Optional.empty();
    try {
      Iteration iteration = applyAndWrite(batches, current);
      if (iteration.outcome() == Iteration.Outcome.LATER) {
        current.undo();
      }
      sessions = Optional.of(current);
      count(current);
      return iteration;
    } catch (IOException e) {
      undo(current, e);
      throw e;
    }
  }

  /** Takes back what a failed iteration has changed; if that fails too, all are loaded again. */
  private void undo(Sessions changed, IOException failure) {
    try {
      changed.undo();
      sessions = Optional.of(changed);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  private void count(Sessions current) {
    sessionCount = current.count();
    openSessionCount = current.openCount();
  }

  private Sessions currentSessions() throws IOException {
    if (sessions.isEmpty()) {
      sessions = Optional.of(Sessions.load(context.database(), region, context.sessionWindow()));
    }
    return sessions.get();
  }

  private Iteration applyAndWrite(List<DecodedBatch> batches, Sessions current) throws IOException {
    long started = System.nanoTime();
    PendingValues values = new PendingValues(context.database(), family);
    ApplyIteration iteration =
        new ApplyIteration(region, execution, bodies, values, current, shape, horizon);
    List<byte[][]> results = new ArrayList<>(batches.size());
    Position end = position;
    for (DecodedBatch batch : batches) {
      if (end.covers(batch.position())) {
        results.add(iteration.resultsOfApplied(batch));
      } else {
        results.add(iteration.apply(batch));
        end = batch.position();
      }
      if (iteration.isComplete()) {
        // Reads have the new range, or a digest its state, before later batches are applied.
        break;
      }
    }
    if (!end.equals(position)) {
      assert end.compareTo(position) > 0 : end + " after " + position;
      Optional<Takeover> takeover = Optional.empty();
      if (iteration.hasAbsorbed()) {
        takeover = Takeover.tryBegin(context, region, keyspace, iteration.shape());
        if (takeover.isEmpty()) {
          return Iteration.without(Iteration.Outcome.LATER);
        }
      }
      try {
        write(iteration, takeover, current, end);
      } finally {
        takeover.ifPresent(Takeover::close);
      }
      meter.applied(end.index() - position.index(), System.nanoTime() - started);
      publish(iteration, end);
    }
    return Iteration.of(batches.subList(0, results.size()), results);
  }

  private void write(
      ApplyIteration iteration, Optional<Takeover> takeover, Sessions current, Position end)
      throws IOException {
    try (DatabaseBatch write = context.database().batch()) {
      if (takeover.isPresent()) {
        StoragePoints.MERGE_TAKEN_OVER.reached(region);
        takeover.get().addTo(write);
      }
      iteration.addTo(write, context.meta(), keyspace, end);
      StoragePoints.BEFORE_WRITE.reached(region);
      context.database().write(write);
    }
    current.written();
    takeover.ifPresent(Takeover::written);
  }

  /**
   * Publishes what was written: first the range, so that no read which waited for the position
   * returns keys that have left the region, and then the children, whose groups may open from now
   * on and change the rows of these keys.
   */
  private void publish(ApplyIteration iteration, Position end) {
    horizon = iteration.horizonAt(end);
    if (iteration.hasReshaped()) {
      reachedChange(iteration);
      shape = iteration.shape();
      for (ApplyIteration.AppliedSplit each : iteration.splits()) {
        context.ranges().split(region, each.split().at(), each.split().child());
      }
    }
    position = end;
    iteration.digest().ifPresent(bounds -> digester.begin(end, shape.range(), bounds));
    iteration.splits().forEach(each -> context.listener().childBegan(each.split().child()));
    if (iteration.hasReshaped() && iteration.splits().isEmpty()) {
      context.listener().merging(region);
    }
  }

  private void reachedChange(ApplyIteration iteration) {
    if (!iteration.splits().isEmpty()) {
      StoragePoints.SPLIT_WRITTEN.passed(region);
    } else if (iteration.hasAbsorbed()) {
      StoragePoints.MERGE_WRITTEN.passed(region);
    } else {
      StoragePoints.MERGE_FROZEN.passed(region);
    }
  }
}
