package io.quorate.storage.apply;

import io.quorate.common.DecodeException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.command.AbsorbedState;
import io.quorate.storage.command.OperationExecutor;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.command.ShapeChange;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.garbage.BodyHorizon;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.MetaRows;
import io.quorate.storage.session.EncodedResults;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/**
 * Executes the batches of one iteration in memory; the applier then writes the outcome in one
 * batch. Only the sessions and bodies of a child are written during the execution, and mean nothing
 * before that batch. Used once, by one thread.
 */
final class ApplyIteration {
  /**
   * A split that has taken effect.
   *
   * @param shape the shape of the child
   */
  record AppliedSplit(Operation.Split split, RegionShape shape) {}

  private final GroupId region;
  private final OperationExecutor execution;
  private final Optional<BodyStore> bodies;
  private final PendingValues values;
  private final Sessions sessions;
  private final List<AppliedSplit> splits = new ArrayList<>(0);
  private boolean hasAbsorbed;
  private boolean hasReshaped;
  private RegionShape shape;
  private BodyHorizon horizon;
  private Optional<List<Key>> digest = Optional.empty();

  /**
   * @param bodies the bodies of large values; empty if no value of the region can be one
   * @param values the values as written, which receives the changes
   * @param sessions the sessions as written; owned by this object until the iteration is written,
   *     and not to be used if that fails
   * @param shape the shape of the region as written
   * @param horizon the settled bodies as written
   */
  ApplyIteration(
      GroupId region,
      OperationExecutor execution,
      Optional<BodyStore> bodies,
      PendingValues values,
      Sessions sessions,
      RegionShape shape,
      BodyHorizon horizon) {
    this.region = region;
    this.execution = execution;
    this.bodies = bodies;
    this.values = values;
    this.sessions = sessions;
    this.shape = shape;
    this.horizon = horizon;
  }

  /** The splits that have taken effect, in order. */
  List<AppliedSplit> splits() {
    return splits;
  }

  /** Whether the region has absorbed another one, whose rows are among the changed values. */
  boolean hasAbsorbed() {
    return hasAbsorbed;
  }

  /** Whether the shape of the region has changed. */
  boolean hasReshaped() {
    return hasReshaped;
  }

  /** The shape of the region after the batches so far. */
  RegionShape shape() {
    return shape;
  }

  /** The bounds of the digest that is requested of the state after the last batch; else empty. */
  Optional<List<Key>> digest() {
    return digest;
  }

  /** Whether the state must be written before further batches are executed. */
  boolean isComplete() {
    return hasReshaped || digest.isPresent();
  }

  /** Adds the outcome, at the position of the last batch, to a write. */
  void addTo(DatabaseBatch write, MetaRows meta, Keyspace keyspace, Position position)
      throws IOException {
    values.addTo(write);
    sessions.addChanges(write);
    for (AppliedSplit each : splits) {
      meta.putBase(write, each.split().child(), new MetaRows.Base(keyspace, each.shape()));
    }
    if (hasReshaped) {
      meta.putBase(write, region, new MetaRows.Base(keyspace, shape));
    }
    meta.putApplied(write, region, position);
  }

  /** The bodies that the batches so far have settled, at the position of the last one. */
  BodyHorizon horizonAt(Position position) {
    return horizon.advancedTo(position);
  }

  /** Executes a batch and returns the results of its commands. */
  byte[][] apply(DecodedBatch batch) throws IOException {
    byte[][] results = new byte[batch.size()][];
    for (int i = 0; i < results.length; i++) {
      results[i] = apply(batch, i);
    }
    return results;
  }

  private byte[] apply(DecodedBatch batch, int index) throws IOException {
    Position position = batch.position();
    ClientCommand request;
    try {
      request = batch.command(index);
    } catch (DecodeException e) {
      // Every replica has the same bytes and computes the same result.
      return EncodedResults.of(new Result.Refused(e.getMessage()));
    }
    Optional<Result> rejection = rejection(request.operation(), position);
    if (rejection.isPresent()) {
      return EncodedResults.of(rejection.get());
    }
    if (!request.tag().isTracked()) {
      return EncodedResults.of(execute(request.operation(), position));
    }
    if (request.operation().kind() == Operation.Kind.END_SESSION) {
      sessions.end(request.tag().client());
      return EncodedResults.DONE;
    }
    Optional<byte[]> known = sessions.arrived(request.tag(), position);
    if (known.isPresent()) {
      return known.get();
    }
    Result result = execute(request.operation(), position);
    byte[] encoded = EncodedResults.of(result);
    // Without its result, the session knows only that its client was active, and the floor.
    if (result.isRecorded()) {
      sessions.remember(request.tag(), encoded);
    }
    return encoded;
  }

  /**
   * Why a request has no effect here whether or not it was executed before. Determined before the
   * session check, since the client repeats the request, here or at the region that has its keys:
   * no session must record it.
   */
  private Optional<Result> rejection(Operation operation, Position position) {
    if (OperationExecutor.isSuperseded(operation, position)) {
      return Optional.of(Result.SUPERSEDED);
    }
    return shape.hasKeysOf(operation) ? Optional.empty() : Optional.of(Result.OUT_OF_RANGE);
  }

  private Result execute(Operation operation, Position position) throws IOException {
    return switch (operation.kind()) {
      case BATCH -> execution.execute((Operation.Batch) operation, values);
      case EXPIRE_SESSIONS -> {
        sessions.expire(((Operation.ExpireSessions) operation).before());
        yield Result.DONE;
      }
      // Of no client.
      case END_SESSION -> Result.DONE;
      case DIGEST -> {
        digest = Optional.of(((Operation.Digest) operation).bounds());
        yield Result.DONE;
      }
      case SPLIT, FREEZE, UNFREEZE, ABSORB -> reshape((Operation.OnRange) operation, position);
      case PUT_BODY, RESOLVED -> {
        // The floor is valid whatever the result, as the position is of the body's epoch.
        operation.newBody().ifPresent(body -> horizon = horizon.advancedTo(position, body.floor()));
        yield execution.execute((Operation.OnKey) operation, values);
      }
      case PUT, DELETE, APPEND, INCREMENT, INCREMENT_AND_GET, GET_AND_PUT, COMPARE_AND_SET ->
          execution.execute((Operation.OnKey) operation, values);
    };
  }

  private Result reshape(Operation.OnRange operation, Position position) throws IOException {
    ShapeChange change = ShapeChange.of(operation, shape);
    if (change.takesEffect()) {
      if (operation instanceof Operation.Split split) {
        begin(split, position);
      }
      change.absorbed().ifPresent(state -> absorb((Operation.Absorb) operation, state, position));
      shape = change.after();
      hasReshaped = true;
    }
    return change.result();
  }

  private void begin(Operation.Split split, Position position) throws IOException {
    sessions.copyTo(split.child());
    StoragePoints.SPLIT_SESSIONS_COPIED.reached(region);
    if (bodies.isPresent()) {
      link(bodies.get(), split.child(), position);
    }
    long epoch = bodies.isPresent() ? position.epoch() : 0;
    splits.add(new AppliedSplit(split, shape.childOf(region, split, epoch)));
  }

  private void absorb(Operation.Absorb absorb, AbsorbedState state, Position position) {
    values.clear(absorb.range());
    state.rows().forEach(row -> values.put(row.key(), row.value()));
    sessions.absorb(state, position);
    hasAbsorbed = true;
  }

  /**
   * Gives the child what this node holds of every body of the region. It holds the bodies of all
   * references in the rows, as far as it ever did, since a body is durable before its reference is
   * in the log. Those of keys that stay are garbage of the child, and the others of this region. A
   * body of a later epoch than the position has no reference, and the child may use its id.
   */
  private void link(BodyStore store, GroupId child, Position position) throws IOException {
    try {
      store.link(region, child, position.epoch()).join();
    } catch (CompletionException e) {
      throw new IOException("Region " + child + " did not receive its bodies.", e.getCause());
    }
    StoragePoints.SPLIT_BODIES_LINKED.reached(region);
  }

  /**
   * Results for a batch that the state already contains, without changing the state: the stored
   * results, or "forgotten", the weakest result, where none is stored. Without a result the caller
   * would wait forever.
   */
  byte[][] resultsOfApplied(DecodedBatch batch) throws IOException {
    byte[][] results = new byte[batch.size()][];
    for (int i = 0; i < results.length; i++) {
      results[i] = resultOfApplied(batch, i);
    }
    return results;
  }

  private byte[] resultOfApplied(DecodedBatch batch, int index) throws IOException {
    Position position = batch.position();
    ClientCommand request;
    try {
      request = batch.command(index);
    } catch (DecodeException e) {
      return EncodedResults.of(new Result.Refused(e.getMessage()));
    }
    Optional<Result> rejection = rejection(request.operation(), position);
    if (rejection.isPresent()) {
      return EncodedResults.of(rejection.get());
    }
    if (request.operation() instanceof Operation.OnRange change) {
      return EncodedResults.of(ShapeChange.of(change, shape).result());
    }
    Optional<byte[]> kept =
        request.tag().isTracked() ? sessions.keptResult(request.tag()) : Optional.empty();
    return kept.isPresent() ? kept.get() : EncodedResults.of(Result.FORGOTTEN);
  }
}
