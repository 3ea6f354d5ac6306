package io.quorate.operation;

/** Bytes that are not a valid encoding, or break a limit. The message is one sentence. */
public final class MalformedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public MalformedException(String message) {
    super(message, null, false, false);
  }
}
