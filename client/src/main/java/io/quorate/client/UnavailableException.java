package io.quorate.client;

/**
 * The call had no effect: no replica that could serve it was reached before its deadline. A retry
 * is safe. For a read, it may also mean that the response was not received in time. After a change
 * of {@link AsyncQuorateClient#regions} or {@link AsyncQuorateClient#nodes} without a response, the
 * change may be in force; it may be requested again, as the method says.
 */
public final class UnavailableException extends QuorateException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message one sentence for people
   */
  public UnavailableException(String message) {
    super(message);
  }

  @Override
  String outcome() {
    return "unavailable";
  }

  @Override
  public boolean isRetryable() {
    return true;
  }
}
