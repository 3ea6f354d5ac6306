package io.quorate.torture.workload;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Outcome;

/** Receives every completed operation, on any thread. Methods must not block. */
public interface Observer {
  void completed(Action action, Outcome outcome);

  /** A call failed with an exception that the client does not document. */
  void failedUnexpectedly(Action action, Throwable failure);
}
