package io.quorate.server.verification.torture;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a torture did and found.
 *
 * @param rounds how many were run and checked
 * @param operations by kind
 * @param faults by kind, those that could not be injected here among them
 * @param verdict of all rounds
 * @param findings a sentence or more for each thing that is not as it should be
 * @param unjudged a sentence for each long time without a write that the machine itself caused
 * @param kept where histories, logs and the seed are; empty if nothing was kept
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

  /** All rounds together: the worst of them. */
  public enum Verdict {
    /** Every round is linearizable and the cluster came back after each. */
    LINEARIZABLE,
    /** Some round was too hard to check; no round is known to be wrong. */
    UNKNOWN,
    /**
     * Histories may be fine, but the cluster did not serve again, stood still with a majority well,
     * or a client failed oddly.
     */
    BROKEN,
    /** Some client saw what no order explains. */
    VIOLATION
  }

  /** How many operations of a kind ended in which way. */
  public record Operations(long ok, long failed, long indeterminate) {}

  /**
   * One kind of fault.
   *
   * @param injected how often it was injected
   * @param missed how often it was due and could not be injected
   * @param obstacle why it cannot be injected here at all; empty if it can
   * @param withoutService longest time without a successful operation while it lasted or the
   *     cluster recovered; zero if it was never injected
   * @param stillness longest time without a write to some region while it was the only fault and a
   *     majority was well; empty where that was never so
   */
  public record Faults(
      long injected,
      long missed,
      Optional<String> obstacle,
      Duration withoutService,
      Optional<Duration> stillness) {}

  /** Whether everything is as it should be. */
  public boolean isPass() {
    return verdict == Verdict.LINEARIZABLE;
  }
}
