package io.quorate.client;

/**
 * The call had no effect: a bounded queue of this client or of the cluster was full. Reduce the
 * number of concurrent calls, and retry later.
 */
public final class OverloadedException extends QuorateException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message one sentence for people
   */
  public OverloadedException(String message) {
    super(message);
  }

  @Override
  String outcome() {
    return "overloaded";
  }

  @Override
  public boolean isRetryable() {
    return true;
  }
}
