package io.quorate.consensus;

/**
 * A setting is unknown, malformed or out of bounds. The message is one sentence that names the key.
 */
public final class SettingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public SettingException(String message) {
    super(message);
  }
}
