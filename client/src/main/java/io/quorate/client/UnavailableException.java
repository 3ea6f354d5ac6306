package io.quorate.client;

/**
 * Nothing happened: no replica that could serve the call was reached before its deadline. Trying
 * again is safe. For a read it may also mean that the answer did not come in time.
 */
public final class UnavailableException extends QuorateException {
  private static final long serialVersionUID = 1L;

  UnavailableException(String message) {
    super(message);
  }
}
