package io.quorate.torture.simulation;

import java.util.HashSet;
import java.util.Set;

/** Loses, delays, repeats and reorders messages, and cuts links in one direction. */
final class Network {
  private record Link(Object from, Object to) {}

  private final Scheduler scheduler;
  private final Set<Link> cut = new HashSet<>();
  private final Set<Object> slow = new HashSet<>();
  long delayMin = 50_000;
  long delayMax = 80_000;
  double loss;
  double repetition;
  double tail;

  Network(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  void cut(Object from, Object to) {
    cut.add(new Link(from, to));
  }

  void slow(Object node) {
    slow.add(node);
  }

  void heal() {
    cut.clear();
    slow.clear();
    loss = 0;
    repetition = 0;
    tail = 0;
  }

  void send(Object from, Object to, Runnable delivery) {
    if (!cut.isEmpty() && cut.contains(new Link(from, to)) || scheduler.chance(loss)) {
      return;
    }
    scheduler.in(delay(from, to), delivery);
    if (scheduler.chance(repetition)) {
      scheduler.in(delay(from, to), delivery);
    }
  }

  private long delay(Object from, Object to) {
    long delay = scheduler.between(delayMin, delayMax);
    if (scheduler.chance(tail)) {
      delay += scheduler.between(0, 20 * delayMax);
    }
    return slow.contains(from) || slow.contains(to) ? delay * 20 : delay;
  }
}
