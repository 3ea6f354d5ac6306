package io.quorate.client;

import java.util.Optional;

/**
 * What a call has been through.
 *
 * @param write whether the call changes the database
 * @param inDoubt whether one of the attempts may have taken effect, or may yet
 * @param hops attempts since the last pause
 * @param pauses pauses so far
 * @param last how the last attempt ended that had its full time; empty before the first has
 */
record CallProgress(boolean write, boolean inDoubt, int hops, int pauses, Optional<Setback> last) {

  static CallProgress start(boolean write) {
    return new CallProgress(write, false, 0, 0, Optional.empty());
  }

  CallProgress after(Setback setback) {
    // That the last moments before the deadline were too few says less than what came before.
    boolean saysLittle = setback instanceof Setback.TimedOut timedOut && timedOut.cutShort();
    return new CallProgress(
        write,
        inDoubt || (write && setback.mayHaveHappened()),
        hops + 1,
        pauses,
        saysLittle && last.isPresent() ? last : Optional.of(setback));
  }

  CallProgress paused() {
    return new CallProgress(write, inDoubt, 0, pauses + 1, last);
  }
}
