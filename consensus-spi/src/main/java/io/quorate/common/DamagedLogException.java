package io.quorate.common;

import java.io.IOException;

/**
 * The files of a consensus log differ from what was written, and the difference may affect
 * acknowledged entries or messages that depend on them. The damaged file was not changed.
 */
public final class DamagedLogException extends IOException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message names the file and the damage; the host knows what follows from it
   */
  public DamagedLogException(String message) {
    super(message);
  }

  /**
   * @param message names the file and the damage; the host knows what follows from it
   */
  public DamagedLogException(String message, IOException cause) {
    super(message, cause);
  }
}
