package io.quorate.client;

/**
 * Nothing happened: the client was closed. A write that had been sent before the client was closed
 * ends with {@link IndeterminateException} instead.
 */
public final class ClientClosedException extends QuorateException {
  private static final long serialVersionUID = 1L;

  ClientClosedException(String message) {
    super(message);
  }
}
