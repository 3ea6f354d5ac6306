package io.quorate.torture.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The result of a torture run.
 *
 * @param rounds the number of rounds that were run and checked, without the warm-up
 * @param operations by kind
 * @param faults by kind, including those that cannot be injected here
 * @param verdict of all rounds
 * @param findings one or more sentences for each problem
 * @param unjudged a sentence for each long time without a successful write during which the
 *     machine's own disk was slow
 * @param kept the directory of histories, logs and the seed; empty if nothing was kept
 */
public record TortureResult(
    Seed seed,
    int rounds,
    Map<String, Operations> operations,
    Map<String, Faults> faults,
    Verdict verdict,
    List<String> findings,
    List<String> unjudged,
    Optional<Path> kept) {

  /** The verdict of a run: the worst verdict of its rounds. */
  public enum Verdict {
    /** Every round is linearizable, and the cluster recovered after each. */
    LINEARIZABLE,
    /** At least one round was too hard to check; no problem is known. */
    UNKNOWN,
    /**
     * No history is a violation, but the cluster did not recover, a region made no progress while a
     * majority was healthy, or a client call failed with an error that is not documented.
     */
    BROKEN,
    /**
     * No history is a violation, but a value cannot be read, although every region serves: it is
     * lost, or as good as that.
     */
    UNREADABLE,
    /** A history is not linearizable, or violates an invariant of linearizable histories. */
    VIOLATION
  }

  /** The number of operations of a kind, by outcome. */
  public record Operations(long ok, long failed, long indeterminate) {}

  /**
   * One kind of fault.
   *
   * @param injected how often it was injected
   * @param missed how often it was due and could not be injected
   * @param obstacle why it cannot be injected here at all; empty if it can
   * @param withoutService the longest time without a successful operation that overlapped the
   *     fault, the recovery afterwards included; zero if the fault was never injected
   * @param writeGap the longest time without a successful write to a region while this was the only
   *     fault and a majority was healthy; empty if there was no such time
   */
  public record Faults(
      long injected,
      long missed,
      Optional<String> obstacle,
      Duration withoutService,
      Optional<Duration> writeGap) {}

  /** Whether a safety rule is known to be broken: results are wrong, or values lost. */
  public boolean isUnsafe() {
    return verdict.compareTo(Verdict.UNREADABLE) >= 0;
  }

  /** Whether there is no problem at all, and every round was checked. */
  public boolean isPass() {
    return verdict == Verdict.LINEARIZABLE;
  }
}
