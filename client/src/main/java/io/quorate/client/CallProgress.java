package io.quorate.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a call has been through.
 *
 * @param write whether the call changes the database
 * @param deadline how long it may take in all
 * @param inDoubt whether one of the attempts may have taken effect, or may yet
 * @param hops attempts since the last pause
 * @param pauses pauses so far
 * @param setbacks how attempts ended that had their full time: the last of each node, or of each
 *     reason where no node responded, the newest last; a few at most
 */
record CallProgress(
    boolean write,
    Duration deadline,
    boolean inDoubt,
    int hops,
    int pauses,
    List<Setback> setbacks) {
  private static final int SETBACKS_MAX = 5;

  static CallProgress start(boolean write, Duration deadline) {
    return new CallProgress(write, deadline, false, 0, 0, List.of());
  }

  CallProgress after(Setback setback) {
    // That the last moments before the deadline were too few says less than what came before.
    boolean saysLittle = setback instanceof Setback.TimedOut timedOut && timedOut.cutShort();
    return new CallProgress(
        write,
        deadline,
        inDoubt || (write && setback.mayHaveHappened()),
        hops + 1,
        pauses,
        saysLittle && !setbacks.isEmpty() ? setbacks : with(setback));
  }

  CallProgress paused() {
    return new CallProgress(write, deadline, inDoubt, 0, pauses + 1, setbacks);
  }

  /** How the last attempt ended; empty before the first has. */
  Optional<Setback> last() {
    return setbacks.isEmpty() ? Optional.empty() : Optional.of(setbacks.get(setbacks.size() - 1));
  }

  /** What the nodes responded, and which did not, for people; empty before an attempt has ended. */
  Optional<String> situation() {
    return setbacks.isEmpty()
        ? Optional.empty()
        : Optional.of(setbacks.stream().map(Setback::reason).collect(Collectors.joining("; ")));
  }

  private List<Setback> with(Setback setback) {
    List<Setback> newest = new ArrayList<>(setbacks);
    newest.removeIf(earlier -> source(earlier).equals(source(setback)));
    newest.add(setback);
    return List.copyOf(newest.subList(Math.max(0, newest.size() - SETBACKS_MAX), newest.size()));
  }

  private static String source(Setback setback) {
    return setback instanceof Setback.Answered answered ? answered.node() : setback.reason();
  }
}
