package io.quorate.ratis.log;

import io.quorate.replication.threads.SharedLoops;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.ratis.statemachine.impl.BaseStateMachine;

/** A state machine with a log, which always takes more. */
public class LogMachine extends BaseStateMachine implements ReplicaParts {
  private final EntryLog log;

  public LogMachine(EntryLog log) {
    this.log = log;
  }

  @Override
  public EntryLog log() {
    return log;
  }

  @Override
  public void logged(long index, int bytes) {}

  @Override
  public SharedLoops loops() {
    return LogFixture.LOOPS;
  }

  @Override
  public Executor blocking() {
    return LogFixture.BLOCKING;
  }

  @Override
  public void appliedBy(Runnable more) {}

  @Override
  public CompletableFuture<Void> capacity() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void applyFailed(long index, Throwable cause) {}
}
