package io.quorate.client;

/**
 * The call had no effect: the server belongs to another cluster, uses another version of the
 * protocol, or is not a Quorate server. Correct the addresses or the version.
 */
public final class IncompatibleException extends QuorateException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message one sentence for people
   */
  public IncompatibleException(String message) {
    super(message);
  }

  @Override
  String outcome() {
    return "incompatible";
  }
}
