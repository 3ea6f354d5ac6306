package io.quorate.client;

/**
 * A write may have taken effect, may yet, or never will: it was sent, and no answer that settles it
 * came before the deadline. It takes effect at most once. Read the key to learn what happened;
 * sending the write again in a new call may do it twice.
 */
public final class IndeterminateException extends QuorateException {
  private static final long serialVersionUID = 1L;

  IndeterminateException(String message) {
    super(message);
  }
}
