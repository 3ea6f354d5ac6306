package io.quorate.storage.command;

import io.quorate.common.DecodeException;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import java.util.Optional;

/**
 * What a command that changes the shape of a region does, in a state with a certain shape: the same
 * ahead of the applier and at apply.
 *
 * @param takesEffect whether it takes effect now
 * @param after the shape afterwards; the same one if it has no effect
 * @param absorbed the rows and sessions that the region receives, if it absorbs another one
 * @param result the result of the command
 */
public record ShapeChange(
    boolean takesEffect, RegionShape after, Optional<AbsorbedState> absorbed, Result result) {

  /**
   * Determines what a command does.
   *
   * @param shape the shape of the region before it
   */
  public static ShapeChange of(Operation.OnRange change, RegionShape shape) {
    return switch (shape.effectOf(change)) {
      case PAST -> none(shape, Result.DONE);
      case INVALID -> none(shape, new Result.Refused(refusal(change, shape)));
      case CHANGES -> {
        try {
          Optional<AbsorbedState> absorbed =
              change instanceof Operation.Absorb absorb
                  ? Optional.of(AbsorbedState.decode(absorb.state()))
                  : Optional.empty();
          yield new ShapeChange(true, shape.after(change), absorbed, Result.DONE);
        } catch (DecodeException e) {
          yield none(shape, new Result.Refused(e.getMessage()));
        }
      }
    };
  }

  private static ShapeChange none(RegionShape shape, Result result) {
    return new ShapeChange(false, shape, Optional.empty(), result);
  }

  private static String refusal(Operation.OnRange change, RegionShape shape) {
    if (change instanceof Operation.Split split) {
      return "The key " + split.at() + " is not strictly inside " + shape.range() + ".";
    }
    if (change instanceof Operation.Absorb absorb) {
      return "The keys " + absorb.range() + " do not follow " + shape.range() + ".";
    }
    return "Merge "
        + change.number()
        + " does not concern the region, whose last change was "
        + shape.newestChange()
        + ".";
  }
}
