package io.quorate.client;

/**
 * Nothing happened: a bounded queue, of this client or of the cluster, was full. Send less at a
 * time, and try again later.
 */
public final class OverloadedException extends QuorateException {
  private static final long serialVersionUID = 1L;

  OverloadedException(String message) {
    super(message);
  }
}
