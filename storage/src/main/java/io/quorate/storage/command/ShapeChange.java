package io.quorate.storage.command;

import io.quorate.common.DecodeException;
import io.quorate.operation.Operation;
import io.quorate.operation.Result;
import io.quorate.storage.session.MovedSession;
import java.util.List;
import java.util.Optional;

/**
 * What a command that changes the shape of a region does, in a state with a certain shape: the same
 * ahead of the applier and at apply.
 *
 * @param effect whether it takes effect
 * @param after the shape afterwards; the same one if it has no effect
 * @param absorbed the rows and sessions that the region receives, if it absorbs another one
 * @param result the result of the command
 */
public record ShapeChange(
    RegionShape.Effect effect, RegionShape after, Optional<AbsorbedState> absorbed, Result result) {

  /** Whether an operation is one that changes the shape. */
  public static boolean isChange(Operation operation) {
    return switch (operation.kind()) {
      case SPLIT, FREEZE, UNFREEZE, ABSORB -> true;
      case PUT,
          PUT_BODY,
          RESOLVED,
          DELETE,
          APPEND,
          INCREMENT,
          INCREMENT_AND_GET,
          GET_AND_PUT,
          COMPARE_AND_SET,
          BATCH,
          EXPIRE_SESSIONS ->
          false;
    };
  }

  /**
   * Determines what a command does.
   *
   * @param operation one that {@linkplain #isChange changes the shape}
   * @param shape the shape of the region before it
   */
  public static ShapeChange of(Operation operation, RegionShape shape) {
    return switch (operation.kind()) {
      case SPLIT -> {
        Operation.Split split = (Operation.Split) operation;
        yield of(
            shape.effectOf(split),
            shape,
            () -> shape.after(split),
            "The key " + split.at() + " is not strictly inside " + shape.range() + ".");
      }
      case FREEZE -> {
        Operation.Freeze freeze = (Operation.Freeze) operation;
        yield of(
            shape.effectOf(freeze),
            shape,
            () -> shape.after(freeze),
            "The region is frozen by merge " + shape.newestChange() + ".");
      }
      case UNFREEZE -> {
        Operation.Unfreeze unfreeze = (Operation.Unfreeze) operation;
        yield of(
            shape.effectOf(unfreeze),
            shape,
            () -> shape.after(unfreeze),
            "The region is not frozen by merge " + unfreeze.merge() + ".");
      }
      case ABSORB -> of((Operation.Absorb) operation, shape);
      case PUT,
          PUT_BODY,
          RESOLVED,
          DELETE,
          APPEND,
          INCREMENT,
          INCREMENT_AND_GET,
          GET_AND_PUT,
          COMPARE_AND_SET,
          BATCH,
          EXPIRE_SESSIONS ->
          throw new AssertionError("Changes no shape: " + operation);
    };
  }

  private static ShapeChange of(Operation.Absorb absorb, RegionShape shape) {
    AbsorbedState state;
    try {
      state = AbsorbedState.decode(absorb.state());
    } catch (DecodeException e) {
      return none(RegionShape.Effect.INVALID, shape, e.getMessage());
    }
    ShapeChange change =
        of(
            shape.effectOf(absorb),
            shape,
            () -> shape.after(absorb),
            "The keys " + absorb.range() + " do not follow " + shape.range() + ".");
    return change.takesEffect()
        ? new ShapeChange(change.effect, change.after, Optional.of(state), change.result)
        : change;
  }

  /** The shape after a command that takes effect. */
  private interface Next {
    RegionShape shape();
  }

  private static ShapeChange of(
      RegionShape.Effect effect, RegionShape shape, Next next, String refusal) {
    return switch (effect) {
      case CHANGES -> new ShapeChange(effect, next.shape(), Optional.empty(), Result.DONE);
      case PAST, INVALID -> none(effect, shape, refusal);
    };
  }

  private static ShapeChange none(RegionShape.Effect effect, RegionShape shape, String refusal) {
    return new ShapeChange(
        effect,
        shape,
        Optional.empty(),
        effect == RegionShape.Effect.PAST ? Result.DONE : new Result.Refused(refusal));
  }

  /** Whether the command takes effect now. */
  public boolean takesEffect() {
    return effect == RegionShape.Effect.CHANGES;
  }

  /** The sessions that the region receives; none unless it absorbs another one. */
  public List<MovedSession> sessions() {
    return absorbed.map(AbsorbedState::sessions).orElse(List.of());
  }
}
