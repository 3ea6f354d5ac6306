package io.quorate.server.verification.torture;

import io.quorate.server.verification.nemesis.Expectation;
import io.quorate.server.verification.nemesis.Nemesis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Judges progress: while the only fault spares a majority, writes to every region go on. A gap
 * during which the disk of the machine itself did not respond is reported and not judged: all nodes
 * have their disks on it. Used by the thread that injects faults.
 */
final class Stillness {
  /** Half of what a node gives its disk before its replicas give up leadership. */
  private static final Duration SYNC_MAX = Duration.ofMillis(500);

  private final RegionProgress progress;
  private final MachineDisk disk;
  private final Duration gapMax;
  private final Map<String, Duration> longest = new TreeMap<>();
  private final List<String> findings = new ArrayList<>();
  private final List<String> unjudged = new ArrayList<>();
  private Optional<Nemesis> judged = Optional.empty();

  Stillness(RegionProgress progress, MachineDisk disk, Duration gapMax) {
    this.progress = progress;
    this.disk = disk;
    this.gapMax = gapMax;
  }

  /**
   * A fault is about to be injected.
   *
   * @param alone whether it is the only one of its round
   */
  void beginning(Nemesis nemesis, boolean alone) {
    judged =
        alone && nemesis.expectation() != Expectation.SAFETY
            ? Optional.of(nemesis)
            : Optional.empty();
    begin();
  }

  /** It has been injected. */
  void established(Nemesis nemesis) {
    if (nemesis.expectation() == Expectation.PROGRESS_ONCE_ESTABLISHED) {
      begin();
    }
  }

  private void begin() {
    progress.begin();
    disk.begin();
  }

  /** It is about to be healed: what comes then is recovery. */
  void healing(int round) {
    if (judged.isEmpty()) {
      return;
    }
    String name = judged.get().name();
    judged = Optional.empty();
    RegionProgress.Gap gap = progress.longest();
    Duration sync = disk.longestSync();
    if (gap.length().compareTo(gapMax) > 0 && sync.compareTo(SYNC_MAX) > 0) {
      unjudged.add(
          ("Round %d: not judged: under %s no write to region %d succeeded for %d ms; an fsync of"
                  + " this machine took %d ms meanwhile.")
              .formatted(round, name, gap.region(), gap.length().toMillis(), sync.toMillis()));
      return;
    }
    longest.merge(name, gap.length(), (one, other) -> one.compareTo(other) >= 0 ? one : other);
    if (gap.length().compareTo(gapMax) > 0) {
      findings.add(
          "Round %d: under %s no write to region %d succeeded for %d ms, and a majority was well."
              .formatted(round, name, gap.region(), gap.length().toMillis()));
    }
  }

  /** The longest gap while this was the only fault; empty if it never was. */
  Optional<Duration> longest(String nemesis) {
    return Optional.ofNullable(longest.get(nemesis));
  }

  List<String> findings() {
    return findings;
  }

  /** A sentence for each gap that says nothing of the database. */
  List<String> unjudged() {
    return unjudged;
  }
}
