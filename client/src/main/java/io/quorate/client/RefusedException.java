package io.quorate.client;

/**
 * The write reached the database and changed nothing, because it does not fit the value it met,
 * such as an increment of what is not a number. Trying again meets the same refusal until the value
 * changes.
 */
public final class RefusedException extends QuorateException {
  private static final long serialVersionUID = 1L;

  RefusedException(String message) {
    super(message);
  }
}
