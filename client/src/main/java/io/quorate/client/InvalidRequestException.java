package io.quorate.client;

/**
 * The call had no effect, and no retry can succeed: the request violates a rule or a limit, which
 * the message names. Change the request.
 */
public final class InvalidRequestException extends QuorateException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message one sentence for people
   */
  public InvalidRequestException(String message) {
    super(message);
  }

  @Override
  String outcome() {
    return "invalid";
  }
}
