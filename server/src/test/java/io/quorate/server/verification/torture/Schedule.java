package io.quorate.server.verification.torture;

import io.quorate.server.verification.nemesis.Nemesis;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * What happens when, by a seed: rounds of one fault or two that overlap. Every nemesis comes up
 * before any comes up again. Not safe for use by several threads.
 */
final class Schedule {
  private static final int LEAD_MILLIS = 1_500;
  private static final int GAP_MILLIS_MAX = 3_000;
  private static final int LASTING_MILLIS_MIN = 2_500;
  private static final int LASTING_MILLIS_SPREAD = 6_000;

  /**
   * One fault of a round.
   *
   * @param at since the start of the round
   * @param lasting from the time it was injected until it is healed
   * @param seed of the choices that the nemesis makes
   */
  record Strike(Nemesis nemesis, Duration at, Duration lasting, long seed) {}

  /** The faults of one round, by time. */
  record Round(List<Strike> strikes) {}

  private final Random random;
  private final List<Nemesis> nemeses;
  private final Deque<Nemesis> deck = new ArrayDeque<>();

  /**
   * @param nemeses one or more
   */
  Schedule(Seed seed, List<Nemesis> nemeses) {
    this.random = new Random(seed.number());
    this.nemeses = List.copyOf(nemeses);
  }

  Round next() {
    int count = nemeses.size() > 1 && random.nextBoolean() ? 2 : 1;
    List<Strike> strikes = new ArrayList<>();
    int at = LEAD_MILLIS;
    for (int i = 0; i < count; i++) {
      strikes.add(
          new Strike(
              draw(),
              Duration.ofMillis(at),
              Duration.ofMillis(LASTING_MILLIS_MIN + random.nextInt(LASTING_MILLIS_SPREAD)),
              random.nextLong()));
      at += random.nextInt(GAP_MILLIS_MAX);
    }
    return new Round(strikes);
  }

  private Nemesis draw() {
    if (deck.isEmpty()) {
      List<Nemesis> shuffled = new ArrayList<>(nemeses);
      Collections.shuffle(shuffled, random);
      deck.addAll(shuffled);
    }
    return deck.pop();
  }
}
