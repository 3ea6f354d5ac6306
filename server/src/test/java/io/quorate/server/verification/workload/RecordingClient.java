package io.quorate.server.verification.workload;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.IndeterminateException;
import io.quorate.client.QuorateException;
import io.quorate.client.RefusedException;
import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Answer;
import io.quorate.server.verification.history.HistoryRecorder;
import io.quorate.server.verification.history.Outcome;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** A client that notes what it asked for, when, and what it was told. */
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

  /** Performs the action. Blocks until it has ended, one way or the other. */
  public Outcome perform(Action action) throws InterruptedException {
    HistoryRecorder.Pending pending = recorder.begin(number, action);
    try {
      // Completion is noted where the answer arrives, not when this thread gets to run again.
      return calls
          .of(action)
          .handle((answer, failure) -> end(pending, action, answer, failure))
          .get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  private Outcome end(
      HistoryRecorder.Pending pending, Action action, Answer answer, Throwable failure) {
    Outcome outcome = failure == null ? new Outcome.Ok(answer) : outcome(action, failure);
    if (outcome instanceof Outcome.Ok ok) {
      pending.ok(ok.answer());
    } else if (outcome instanceof Outcome.Indeterminate) {
      pending.indeterminate();
    } else {
      pending.failed();
    }
    observer.ended(action, outcome);
    return outcome;
  }

  /** What a failed call says, by the client's documentation. */
  private Outcome outcome(Action action, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (!(cause instanceof QuorateException)) {
      observer.surprised(action, cause);
    }
    if (action instanceof Action.Get || action instanceof Action.Scan) {
      return Outcome.FAILED;
    }
    if (cause instanceof RefusedException && action instanceof Action.IncrementAndGet) {
      return new Outcome.Ok(Answer.REFUSED);
    }
    boolean known = cause instanceof QuorateException && !(cause instanceof IndeterminateException);
    return known ? Outcome.FAILED : Outcome.INDETERMINATE;
  }
}
