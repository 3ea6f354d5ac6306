package io.quorate.replication.coded;

import io.quorate.common.LogLimit;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.ConsensusException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A read or a restoration of one body in progress. Thread-safe; nothing blocks. */
final class BodyTask<T> {
  private static final Logger LOG = LoggerFactory.getLogger(BodyTask.class);
  private static final LogLimit FAILING = new LogLimit();
  private static final Duration RETRY_AFTER = Duration.ofMillis(20);

  private final BodyId id;
  private final BodyLayout layout;
  private final Executor workers;
  private final CompletableFuture<T> outcome = new CompletableFuture<>();

  /**
   * @param workers executes the steps
   */
  BodyTask(BodyId id, BodyLayout layout, Executor workers) {
    this.id = id;
    this.layout = layout;
    this.workers = workers;
  }

  BodyId id() {
    return id;
  }

  BodyLayout layout() {
    return layout;
  }

  CompletableFuture<T> outcome() {
    return outcome;
  }

  boolean isDone() {
    return outcome.isDone();
  }

  void fail(Throwable failure) {
    outcome.completeExceptionally(failure);
  }

  void failOverloaded() {
    fail(
        new ConsensusException.Overloaded(
            "Too many bodies are being read (raft.coded.bodies-in-flight-max,"
                + " raft.coded.bodies-in-flight-size-max).",
            RETRY_AFTER));
  }

  /** Executes a step on a worker; the task fails if the step does, or is rejected. */
  void execute(Runnable step) {
    try {
      workers.execute(() -> run(step));
    } catch (RejectedExecutionException e) {
      failOverloaded();
    }
  }

  private void run(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      FAILING.log(
          leftOut ->
              LOG.error(
                  "A body was not read or restored body={}{}", id, LogLimit.text(leftOut), e));
      fail(new ConsensusException.Unavailable("The body was not read or restored: " + e));
    }
  }
}
