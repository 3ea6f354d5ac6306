package io.quorate.torture.workload;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.IndeterminateException;
import io.quorate.client.QuorateException;
import io.quorate.client.RefusedException;
import io.quorate.torture.history.Action;
import io.quorate.torture.history.HistoryRecorder;
import io.quorate.torture.history.Outcome;
import io.quorate.torture.history.Result;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** A client that records its operations with their times and outcomes. */
public final class RecordingClient {
  private final int number;
  private final Calls calls;
  private final HistoryRecorder recorder;
  private final Observer observer;

  /**
   * @param number the client's number in the history
   */
  public RecordingClient(
      int number, AsyncQuorateClient client, HistoryRecorder recorder, Observer observer) {
    this.number = number;
    this.calls = new Calls(client);
    this.recorder = recorder;
    this.observer = observer;
  }

  /** Performs the action and records it. Blocks until it has succeeded or failed. */
  public Outcome perform(Action action) throws InterruptedException {
    HistoryRecorder.Pending pending = recorder.begin(number, action);
    try {
      // The thread that receives the result records it, so that the delay until this thread is
      // scheduled again is not part of the operation.
      return calls
          .of(action)
          .handle((result, failure) -> end(pending, action, result, failure))
          .get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /**
   * Performs a get, and a compare-and-set that expects the value just read, so that it often
   * succeeds. Blocks until both have succeeded or failed.
   *
   * @return the outcome of the compare-and-set
   */
  public Outcome swap(String key, String replacement) throws InterruptedException {
    Outcome read = perform(new Action.Get(key));
    Optional<String> expected =
        read instanceof Outcome.Ok ok && ok.result() instanceof Result.Found found
            ? found.value()
            : Optional.empty();
    return perform(new Action.CompareAndSet(key, expected, Optional.of(replacement)));
  }

  private Outcome end(
      HistoryRecorder.Pending pending, Action action, Result result, Throwable failure) {
    Outcome outcome = failure == null ? new Outcome.Ok(result) : outcome(action, failure);
    pending.complete(outcome);
    observer.completed(action, outcome);
    return outcome;
  }

  /** The outcome of a failed call, as the client documents its exceptions. */
  private Outcome outcome(Action action, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (!(cause instanceof QuorateException)) {
      observer.failedUnexpectedly(action, cause);
    }
    if (action.isRead()) {
      return Outcome.FAILED;
    }
    if (cause instanceof RefusedException && action instanceof Action.IncrementAndGet) {
      return new Outcome.Ok(Result.REFUSED);
    }
    boolean known = cause instanceof QuorateException && !(cause instanceof IndeterminateException);
    return known ? Outcome.FAILED : Outcome.INDETERMINATE;
  }
}
