package io.quorate.rabia.engine;

import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.model.Position;
import io.quorate.rabia.core.step.Input;
import java.time.Duration;

/**
 * Reports the durable position of the state machine to the core, which truncates its log up to
 * there.
 */
final class StateWatch implements ReplicaLoop.LoopTask {
  private final ReplicatedStateMachine machine;
  private final ReplicaLoop loop;
  private final long intervalNanos;

  /** Accessed only by the replica's thread. */
  private long nextCheckAt = ReplicaClock.nanos();

  private Position reported;

  /**
   * @param reported the durable position that the core has already
   */
  StateWatch(
      ReplicatedStateMachine machine, ReplicaLoop loop, Duration interval, Position reported) {
    this.machine = machine;
    this.loop = loop;
    this.intervalNanos = interval.toNanos();
    this.reported = reported;
  }

  @Override
  public void onIteration(long nowNanos) {
    if (nowNanos - nextCheckAt >= 0) {
      nextCheckAt = nowNanos + intervalNanos;
      report(machine.durable());
    }
  }

  @Override
  public long dueAt(long nowNanos) {
    // Only executed positions become durable.
    return loop.executed().compareTo(reported) > 0 ? nextCheckAt : ReplicaLoop.idle(nowNanos);
  }

  /** Makes the state durable now (S3). On the replica's thread; does not block. */
  void flush() {
    machine
        .flush()
        .whenComplete(
            (durable, failure) -> {
              // The state machine reports a failed flush itself; the core requests a flush again.
              if (failure == null) {
                loop.execute(() -> report(durable));
              }
            });
  }

  private void report(Position durable) {
    if (durable.compareTo(reported) > 0) {
      reported = durable;
      loop.submit(new Input.StateDurable(durable));
    }
  }
}
