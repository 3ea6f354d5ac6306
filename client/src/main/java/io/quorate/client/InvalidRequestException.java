package io.quorate.client;

/**
 * Nothing happened, and nothing will however often it is tried: the request breaks a rule or a
 * limit, which the message names. Change the request.
 */
public final class InvalidRequestException extends QuorateException {
  private static final long serialVersionUID = 1L;

  InvalidRequestException(String message) {
    super(message);
  }
}
