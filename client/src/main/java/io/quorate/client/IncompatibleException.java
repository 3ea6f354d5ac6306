package io.quorate.client;

/**
 * Nothing happened: what answers is another cluster than the one meant, speaks another version of
 * the protocol, or is no Quorate server. Correct the addresses or the version.
 */
public final class IncompatibleException extends QuorateException {
  private static final long serialVersionUID = 1L;

  IncompatibleException(String message) {
    super(message);
  }
}
