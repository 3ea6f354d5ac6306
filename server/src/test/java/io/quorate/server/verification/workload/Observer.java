package io.quorate.server.verification.workload;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Outcome;

/** Is told of every operation that ended, on any thread; must not block. */
public interface Observer {
  void ended(Action action, Outcome outcome);

  /** A call failed in a way that the client does not document. */
  void surprised(Action action, Throwable failure);
}
