package io.quorate.client;

/**
 * The outcome of a write is unknown: it was sent, and no response that settles it was received
 * before the deadline. The write may have taken effect, may still take effect, or may never do so;
 * it takes effect at most once. Read the key to find out; repeating the write in a new call may
 * apply it twice.
 */
public final class IndeterminateException extends QuorateException {
  private static final long serialVersionUID = 1L;

  IndeterminateException(String message) {
    super(message);
  }

  @Override
  String outcome() {
    return "indeterminate";
  }
}
