package io.quorate.torture.run;

import io.quorate.torture.nemesis.arena.Nemesis;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * The faults and their times, determined by a seed: each round has one fault, or two that overlap.
 * Every nemesis is drawn once before any is drawn again. Not safe for use by several threads.
 */
final class Schedule {
  private static final int FIRST_FAULT_MILLIS = 1_500;
  private static final int GAP_MILLIS_MAX = 3_000;
  private static final int DURATION_MILLIS_MIN = 2_500;
  private static final int DURATION_MILLIS_SPREAD = 6_000;

  /**
   * One fault of a round.
   *
   * @param at the time since the start of the round
   * @param duration from the end of the injection until it is healed
   * @param seed of the choices that the nemesis makes
   */
  record Injection(Nemesis nemesis, Duration at, Duration duration, long seed) {}

  /**
   * One round.
   *
   * @param injections its faults, by time
   * @param lengthMin the minimum time under load before the round ends
   */
  record RoundPlan(List<Injection> injections, Duration lengthMin) {
    /** A round that injects nothing. */
    static RoundPlan withoutFaults(Duration length) {
      return new RoundPlan(List.of(), length);
    }
  }

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

  RoundPlan next() {
    int count = nemeses.size() > 1 && random.nextBoolean() ? 2 : 1;
    List<Injection> injections = new ArrayList<>();
    int at = FIRST_FAULT_MILLIS;
    for (int i = 0; i < count; i++) {
      injections.add(
          new Injection(
              draw(),
              Duration.ofMillis(at),
              Duration.ofMillis(DURATION_MILLIS_MIN + random.nextInt(DURATION_MILLIS_SPREAD)),
              random.nextLong()));
      at += random.nextInt(GAP_MILLIS_MAX);
    }
    return new RoundPlan(injections, Duration.ZERO);
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
