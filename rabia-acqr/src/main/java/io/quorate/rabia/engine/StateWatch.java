package io.quorate.rabia.engine;

import io.quorate.consensus.Position;
import io.quorate.consensus.ReplicatedStateMachine;
import io.quorate.rabia.core.Input;
import java.time.Duration;

/** Tells the core how far the state survives power loss, so that it can let go of its log. */
final class StateWatch implements ReplicaLoop.Guest {
  private final ReplicatedStateMachine machine;
  private final ReplicaLoop loop;
  private final long intervalNanos;

  /** The replica's thread alone. */
  private long nextLookAt = ReplicaClock.nanos();

  private Position told;

  /**
   * @param told what the core knows already
   */
  StateWatch(ReplicatedStateMachine machine, ReplicaLoop loop, Duration interval, Position told) {
    this.machine = machine;
    this.loop = loop;
    this.intervalNanos = interval.toNanos();
    this.told = told;
  }

  @Override
  public void turn(long nowNanos) {
    if (nowNanos - nextLookAt >= 0) {
      nextLookAt = nowNanos + intervalNanos;
      tell(machine.durable());
    }
  }

  @Override
  public long dueAt(long nowNanos) {
    // Nothing becomes durable that is not executed.
    return loop.executed().compareTo(told) > 0 ? nextLookAt : ReplicaLoop.idle(nowNanos);
  }

  /** Makes the state durable now (S3). On the replica's thread; does not block. */
  void flush() {
    machine
        .flush()
        .whenComplete(
            (durable, failure) -> {
              // A flush that failed is told by the state machine itself; it is asked for again.
              if (failure == null) {
                loop.execute(() -> tell(durable));
              }
            });
  }

  private void tell(Position durable) {
    if (durable.compareTo(told) > 0) {
      told = durable;
      loop.tell(new Input.StateDurable(durable));
    }
  }
}
