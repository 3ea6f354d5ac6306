package io.quorate.client;

/**
 * The call reached the database and changed nothing, because it does not fit the present value,
 * such as an increment of a value that is not a number, or a read as text of a value that is not
 * UTF-8. A retry fails in the same way until the value changes.
 */
public final class RefusedException extends QuorateException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message one sentence for people
   */
  public RefusedException(String message) {
    super(message);
  }

  @Override
  String outcome() {
    return "refused";
  }
}
