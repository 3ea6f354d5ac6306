package io.quorate.torture.run;

import io.quorate.torture.nemesis.arena.Expectation;
import io.quorate.torture.nemesis.arena.Nemesis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Checks progress: while the only fault leaves a majority healthy, no region may be without a
 * successful write for too long. A gap during which an fsync of the machine's own disk was slow is
 * reported and not judged, because that disk holds the disks of all nodes. Used by the thread that
 * injects faults.
 */
final class ProgressCheck {
  /** Half of the default of {@code quorate.raft.disk-stall-timeout}. */
  private static final Duration FSYNC_MAX = Duration.ofMillis(500);

  private final RegionProgress progress;
  private final MachineDisk disk;
  private final Duration gapMax;
  private final Map<String, Duration> longestGaps = new TreeMap<>();
  private final List<String> findings = new ArrayList<>();
  private final List<String> unjudged = new ArrayList<>();
  private Optional<Nemesis> judgedFault = Optional.empty();

  ProgressCheck(RegionProgress progress, MachineDisk disk, Duration gapMax) {
    this.progress = progress;
    this.disk = disk;
    this.gapMax = gapMax;
  }

  /**
   * Starts a measurement; called before a fault is injected.
   *
   * @param isOnlyFault whether it is the only fault of its round
   */
  void beforeInjection(Nemesis nemesis, boolean isOnlyFault) {
    judgedFault =
        isOnlyFault && nemesis.expectation() != Expectation.SAFETY
            ? Optional.of(nemesis)
            : Optional.empty();
    begin();
  }

  /**
   * Starts the measurement again if only the time after the injection is judged; called after a
   * fault was injected.
   */
  void afterInjection(Nemesis nemesis) {
    if (nemesis.expectation() == Expectation.PROGRESS_ONCE_ESTABLISHED) {
      begin();
    }
  }

  private void begin() {
    progress.begin();
    disk.begin();
  }

  /** Ends the measurement and judges it; called before a fault is healed. */
  void beforeHealing(int round) {
    if (judgedFault.isEmpty()) {
      return;
    }
    String name = judgedFault.get().name();
    judgedFault = Optional.empty();
    RegionProgress.Gap gap = progress.longest();
    Duration fsync = disk.longestSync();
    if (gap.length().compareTo(gapMax) > 0 && fsync.compareTo(FSYNC_MAX) > 0) {
      unjudged.add(
          String.format(
              Locale.ROOT,
              "Round %d: not judged: under %s no write to region %d succeeded for %d ms; an fsync of"
                  + " this machine took %d ms meanwhile.",
              round,
              name,
              gap.region(),
              gap.length().toMillis(),
              fsync.toMillis()));
      return;
    }
    longestGaps.merge(name, gap.length(), (one, other) -> one.compareTo(other) >= 0 ? one : other);
    if (gap.length().compareTo(gapMax) > 0) {
      findings.add(
          String.format(
              Locale.ROOT,
              "Round %d: under %s no write to region %d succeeded for %d ms while a majority was"
                  + " healthy.",
              round,
              name,
              gap.region(),
              gap.length().toMillis()));
    }
  }

  /** The longest judged gap while this was the only fault; empty if there is none. */
  Optional<Duration> longestGap(String nemesis) {
    return Optional.ofNullable(longestGaps.get(nemesis));
  }

  /** A sentence for each gap that was too long. */
  List<String> findings() {
    return findings;
  }

  /** A sentence for each gap that was too long and not judged. */
  List<String> unjudged() {
    return unjudged;
  }
}
