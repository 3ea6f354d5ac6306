package io.quorate.consensus;

import io.quorate.model.GroupId;

/**
 * Identifies a body. It is never reused: an epoch has one leader, which numbers its bodies.
 *
 * @param epoch of the leader that assigned the number, such as its term
 * @param number counted by that leader, from 0
 */
public record BodyId(GroupId group, long epoch, long number) {

  /** The same body in the state of another group, which began with that of this group. */
  public BodyId in(GroupId other) {
    return new BodyId(other, epoch, number);
  }
}
