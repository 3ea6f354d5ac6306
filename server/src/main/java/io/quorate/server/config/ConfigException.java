package io.quorate.server.config;

/** A configuration that cannot be used. The message is one sentence that names the key. */
public final class ConfigException extends StartRefusal {
  private static final long serialVersionUID = 1L;

  public ConfigException(String message) {
    super(message);
  }

  public ConfigException(String message, Throwable cause) {
    super(message, cause);
  }
}
