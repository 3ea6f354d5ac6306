package io.quorate.consensus;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What stages fail with. */
public final class Failures {
  private Failures() {}

  /**
   * The failure itself. A stage that depends on a failed one, and every wait for a stage, wraps it
   * in a {@link CompletionException} or an {@link ExecutionException}, whether or not the failed
   * stage did; so the type of a failure means nothing before it has passed here.
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
