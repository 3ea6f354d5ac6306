package io.quorate.common;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Inspects the failures of {@link java.util.concurrent.CompletionStage}s. */
public final class Failures {
  private Failures() {}

  /**
   * Removes the wrappers from a failure. A dependent stage, and every blocking wait for a stage,
   * wraps the failure in a {@link CompletionException} or an {@link ExecutionException}, whether or
   * not the failed stage did. The type of a failure is therefore meaningful only after this call.
   *
   * @return the innermost cause that is not such a wrapper, or the wrapper if it has no cause
   */
  public static Throwable unwrap(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException || cause instanceof ExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }
}
