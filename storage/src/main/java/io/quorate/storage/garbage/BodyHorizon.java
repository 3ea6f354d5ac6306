package io.quorate.storage.garbage;

import io.quorate.consensus.BodyId;
import io.quorate.model.Position;

/**
 * Which bodies of a region are settled in a state: every command that refers to one of these has
 * been applied, or never takes effect. So no later state refers to a settled body unless this one
 * does. Follows from rules 3 and 4 of decision 0029: after a position of a greater epoch, a command
 * that refers to a body of a lower one has no effect.
 *
 * @param applied the position of the state
 * @param floor bodies of the position's epoch with a lower number are settled; 0 if it is unknown,
 *     as after a start
 */
public record BodyHorizon(Position applied, long floor) {
  public static final BodyHorizon NONE = at(Position.NONE);

  /** The horizon of a state in which no command of its epoch is known. */
  public static BodyHorizon at(Position applied) {
    return new BodyHorizon(applied, 0);
  }

  /**
   * The horizon of a region that has begun with bodies, and has applied nothing: these are settled,
   * because its commands refer to bodies of greater epochs only.
   *
   * @param inheritedEpoch the greatest epoch of these bodies
   */
  public static BodyHorizon afterInherited(long inheritedEpoch) {
    return at(new Position(inheritedEpoch + 1, Position.NONE.index()));
  }

  /** The horizon when a further position is applied. */
  public BodyHorizon advancedTo(Position position) {
    return new BodyHorizon(position, position.epoch() == applied.epoch() ? floor : 0);
  }

  /**
   * The horizon when a reference to a body is applied.
   *
   * @param position its position, which has the epoch of the body
   * @param bodyFloor the floor of the reference
   */
  public BodyHorizon advancedTo(Position position, long bodyFloor) {
    return new BodyHorizon(position, Math.max(bodyFloor, advancedTo(position).floor));
  }

  /** Whether a body is settled. */
  public boolean settles(BodyId body) {
    return body.epoch() < applied.epoch()
        || body.epoch() == applied.epoch() && body.number() < floor;
  }
}
