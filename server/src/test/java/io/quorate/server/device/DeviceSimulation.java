package io.quorate.server.device;

import io.quorate.server.device.DeviceHealth.State;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * The fsyncs of a {@link SyncWatch} and the ticks of a {@link DeviceHealth} in virtual time, which
 * passes in steps of a millisecond.
 */
final class DeviceSimulation {
  static final long FOREVER = Long.MAX_VALUE / 2;
  private static final long INTERVAL = SyncWatch.INTERVAL.toMillis();
  private static final long NANOS = 1_000_000;

  private final DeviceHealth health;
  private final LongUnaryOperator syncMillis;
  private final long tickPhase;
  private final List<Long> completed = new ArrayList<>();
  private long now;
  private long nextSync;
  private long began = -1;
  private long ends;

  /**
   * @param syncMillis how long an fsync takes that begins at a time, both in milliseconds
   * @param tickPhase when the first tick is, in milliseconds
   */
  DeviceSimulation(DeviceHealth health, LongUnaryOperator syncMillis, long tickPhase) {
    this.health = health;
    this.syncMillis = syncMillis;
    this.tickPhase = tickPhase;
  }

  long now() {
    return now;
  }

  State state() {
    return health.state();
  }

  /** Runs until a time, or until the first tick at which the device is in a state. */
  boolean isReachedBefore(State awaited, long end) {
    while (now < end) {
      step();
      if (health.state() == awaited) {
        return true;
      }
    }
    return false;
  }

  void runUntil(long end) {
    while (now < end) {
      step();
    }
  }

  /** The process does nothing for a time, in which the device continues. */
  void pause(long millis) {
    now += millis;
  }

  private void step() {
    if (began >= 0 && now >= ends) {
      // When the process sees it, after a pause.
      completed.add(Math.max(1, (now - began) * NANOS));
      began = -1;
    }
    if (began < 0 && now >= nextSync) {
      began = now;
      nextSync = now + INTERVAL;
      ends = now + syncMillis.applyAsLong(now);
    }
    if (now >= tickPhase && (now - tickPhase) % INTERVAL == 0) {
      tick();
    }
    now++;
  }

  /** A tick; after a pause, to be called when the process continues. */
  void tick() {
    long inProgress = began < 0 ? 0 : Math.max(1, (now - began) * NANOS);
    health.tick(now * NANOS, new SyncSamples(completed, inProgress));
    completed.clear();
  }
}
