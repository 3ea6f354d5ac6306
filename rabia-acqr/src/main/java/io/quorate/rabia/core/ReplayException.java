package io.quorate.rabia.core;

/** A record of the log cannot be one of this replica, or not after the records before it. */
public final class ReplayException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message a sentence without a full stop
   */
  ReplayException(String message) {
    super(message);
  }
}
