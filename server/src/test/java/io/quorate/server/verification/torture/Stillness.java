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
 * Judges progress: while the only fault spares a majority, writes to every region go on. Used by
 * the thread that injects faults.
 */
final class Stillness {
  private final RegionProgress progress;
  private final Duration gapMost;
  private final Map<String, Duration> longest = new TreeMap<>();
  private final List<String> findings = new ArrayList<>();
  private Optional<Nemesis> judged = Optional.empty();

  Stillness(RegionProgress progress, Duration gapMost) {
    this.progress = progress;
    this.gapMost = gapMost;
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
    progress.begin();
  }

  /** It has been injected. */
  void established(Nemesis nemesis) {
    if (nemesis.expectation() == Expectation.PROGRESS_ONCE_ESTABLISHED) {
      progress.begin();
    }
  }

  /** It is about to be healed: what comes then is recovery. */
  void healing(int round) {
    if (judged.isEmpty()) {
      return;
    }
    String name = judged.get().name();
    judged = Optional.empty();
    RegionProgress.Gap gap = progress.longest();
    longest.merge(name, gap.length(), (one, other) -> one.compareTo(other) >= 0 ? one : other);
    if (gap.length().compareTo(gapMost) > 0) {
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
}
