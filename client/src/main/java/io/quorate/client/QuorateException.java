package io.quorate.client;

import io.quorate.common.Nulls;

/**
 * The failure of a call. The subclass states whether the call may have taken effect, and therefore
 * whether a retry is safe; the message is one sentence for people.
 */
public abstract sealed class QuorateException extends RuntimeException
    permits InvalidRequestException,
        OverloadedException,
        UnavailableException,
        IndeterminateException,
        RefusedException,
        DeniedException,
        IncompatibleException,
        ClientClosedException {
  private static final long serialVersionUID = 1L;

  QuorateException(String message) {
    super(Nulls.refuse(message, "message"));
  }

  /**
   * Whether the call may have changed something, or may still do so. Repeating it in a new call may
   * then apply it twice.
   */
  public boolean mayHaveTakenEffect() {
    return false;
  }

  /**
   * Whether the same call may succeed later without a change of the call or of the client, and
   * repeating it applies it once.
   */
  public boolean isRetryable() {
    return false;
  }

  /** The outcome of the call in metrics. */
  abstract String outcome();
}
