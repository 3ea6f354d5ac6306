package io.quorate.storage.command;

import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.storage.session.EncodedResults;
import io.quorate.storage.session.Session;
import io.quorate.storage.session.SessionTable;
import java.util.List;

/**
 * Predicts what applying committed commands will do, in log order and before they are applied. Each
 * command passes the same session check as at apply (B4), on a copy of the sessions that is ahead
 * of the applier's by the waiting commands. One thread at a time.
 *
 * <p>A command's result is known in advance, as "done", if three conditions hold, none of which can
 * change before it is applied:
 *
 * <ul>
 *   <li>the operation is result-free, which means that it cannot fail (B1);
 *   <li>its keys are in the region's range, which changes only by splits and merges, and these are
 *       among the commands before it;
 *   <li>the session lets it take effect, or it took effect before with this result (B7). This
 *       depends only on the commands before it, which are committed.
 * </ul>
 *
 * <p>All other commands get their result from the applier: a request that is malformed, forgotten,
 * outdated, beyond its client's window or outside the range, one that changes the range, and one
 * that repeats a request with a result of another kind.
 */
public final class EarlyReply {
  /**
   * @param effects the changes to rows, in order, applied atomically; empty if there are none
   * @param done whether the result will be "done"; otherwise the result is not known yet
   */
  public record Prediction(List<Operation.OnKey> effects, boolean done) {
    /** Neither the effect nor the result is known: the applier determines both. */
    public static final Prediction UNKNOWN = new Prediction(List.of(), false);

    private static final Prediction REPEATED = new Prediction(List.of(), true);
  }

  private final SessionTable sessions;
  private final OperationExecutor execution;

  /** The shape of the region after the commands so far. */
  private RegionShape shape;

  /**
   * @param sessions the sessions at the applied position; owned by this object from now on
   * @param shape the shape of the region at the applied position
   */
  public EarlyReply(SessionTable sessions, RegionShape shape, OperationExecutor execution) {
    this.sessions = sessions;
    this.shape = shape;
    this.execution = execution;
  }

  /** The keys of the region after the commands so far. */
  public KeyRange range() {
    return shape.keys();
  }

  /** Predicts the effect and the result of the next command in log order. */
  public Prediction admit(ClientCommand request, Position at) {
    // Before the session check, as when the command is applied.
    if (OperationExecutor.isSuperseded(request.operation(), at)
        || !shape.hasKeysOf(request.operation())) {
      return Prediction.UNKNOWN;
    }
    if (!request.tag().isTracked()) {
      return effect(request.operation(), at);
    }
    if (request.operation().kind() == Operation.Kind.END_SESSION) {
      sessions.end(request.tag().client());
      return new Prediction(List.of(), true);
    }
    return switch (sessions.arrived(request.tag(), at)) {
      case TAKES_EFFECT -> {
        Prediction prediction = effect(request.operation(), at);
        sessions.remember(
            request.tag(), prediction.done() ? EncodedResults.DONE : Session.IN_OWN_ROW);
        yield prediction;
      }
      case REPEATED ->
          sessions.keptResult(request.tag()).filter(EncodedResults::isDone).isPresent()
              ? Prediction.REPEATED
              : Prediction.UNKNOWN;
      case FORGOTTEN, BEYOND_WINDOW, OUTDATED -> Prediction.UNKNOWN;
    };
  }

  private Prediction effect(Operation operation, Position at) {
    return switch (operation.kind()) {
      case BATCH -> {
        Operation.Batch batch = (Operation.Batch) operation;
        yield execution.accepts(batch)
            ? new Prediction(batch.operations(), true)
            : Prediction.UNKNOWN;
      }
      case EXPIRE_SESSIONS -> {
        sessions.expire(((Operation.ExpireSessions) operation).before());
        yield new Prediction(List.of(), true);
      }
      // Of no client, or changes nothing.
      case END_SESSION, DIGEST -> new Prediction(List.of(), true);
      case SPLIT, FREEZE, UNFREEZE, ABSORB -> {
        change((Operation.OnRange) operation, at);
        yield Prediction.UNKNOWN;
      }
      // Coded replication replies when a write is applied.
      case PUT_BODY, RESOLVED -> Prediction.UNKNOWN;
      case PUT, DELETE, APPEND, INCREMENT, INCREMENT_AND_GET, GET_AND_PUT, COMPARE_AND_SET -> {
        Operation.OnKey onKey = (Operation.OnKey) operation;
        yield execution.accepts(onKey)
            ? new Prediction(List.of(onKey), !operation.resultNeedsState())
            : Prediction.UNKNOWN;
      }
    };
  }

  private void absorb(AbsorbedState state, Position at) {
    sessions.absorb(state.fence(), at);
    state.sessions().forEach(moved -> sessions.absorb(moved, at));
  }

  private void change(Operation.OnRange operation, Position at) {
    ShapeChange change = ShapeChange.of(operation, shape);
    if (change.takesEffect()) {
      shape = change.after();
      change.absorbed().ifPresent(state -> absorb(state, at));
    }
  }
}
