package io.quorate.torture.simulation;

import java.util.PriorityQueue;
import java.util.SplittableRandom;

/** Virtual time in nanoseconds, and the only source of randomness of a run. */
final class Scheduler {
  private record Event(long at, long number, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final SplittableRandom random;
  private long now;
  private long number;

  Scheduler(long seed) {
    random = new SplittableRandom(seed);
  }

  SplittableRandom random() {
    return random;
  }

  long now() {
    return now;
  }

  void in(long delay, Runnable action) {
    events.add(new Event(now + delay, number++, action));
  }

  boolean chance(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  /** A random number from {@code low} to {@code high}, both included. */
  int between(int low, int high) {
    return random.nextInt(low, high + 1);
  }

  long between(long low, long high) {
    return random.nextLong(low, high + 1);
  }

  /** Runs the next event; returns false if none is due until {@code end}. */
  boolean runNext(long end) {
    if (events.isEmpty() || events.peek().at() > end) {
      return false;
    }
    Event event = events.poll();
    now = event.at();
    event.action().run();
    return true;
  }
}
