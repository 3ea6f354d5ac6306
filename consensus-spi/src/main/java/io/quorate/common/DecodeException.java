package io.quorate.common;

/**
 * Bytes are not a valid encoding, or an operation violates a limit. The message is one sentence.
 */
public final class DecodeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public DecodeException(String message) {
    super(message, null, false, false);
  }
}
