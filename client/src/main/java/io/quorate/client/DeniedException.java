package io.quorate.client;

/**
 * The call had no effect, and no retry can succeed: the user may not do this, or is not who he says
 * to be. The message names the right that is missing. Change the roles of the user, or log in as
 * another one.
 */
public final class DeniedException extends QuorateException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message one sentence for people
   */
  public DeniedException(String message) {
    super(message);
  }

  @Override
  String outcome() {
    return "denied";
  }
}
