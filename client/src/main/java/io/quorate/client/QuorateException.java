package io.quorate.client;

/**
 * Why a call did not do what it was asked. Every kind says what may have happened, and so what the
 * caller may do; the message is one sentence for a person.
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
}
