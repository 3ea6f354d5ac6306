package io.quorate.client;

/**
 * The call had no effect: the client is closed. A write that was sent before the client was closed
 * fails with {@link IndeterminateException} instead.
 */
public final class ClientClosedException extends QuorateException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message one sentence for people
   */
  public ClientClosedException(String message) {
    super(message);
  }

  @Override
  String outcome() {
    return "closed";
  }
}
