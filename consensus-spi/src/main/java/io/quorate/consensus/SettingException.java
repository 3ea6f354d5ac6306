package io.quorate.consensus;

/** A setting that cannot be used. The message is one sentence that names the key. */
public final class SettingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public SettingException(String message) {
    super(message);
  }
}
