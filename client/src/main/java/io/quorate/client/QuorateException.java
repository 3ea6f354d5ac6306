package io.quorate.client;

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
        IncompatibleException,
        ClientClosedException {
  private static final long serialVersionUID = 1L;

  QuorateException(String message) {
    super(message);
  }

  /** The outcome of the call in metrics. */
  abstract String outcome();
}
