package io.quorate.ratis.patches;

import java.io.IOException;

/**
 * Withholds every acknowledgement after a write to the log has failed. If a truncation lies between
 * a failed append and later ones, Ratis 3.3.0 completes the later ones as if they were done.
 *
 * <p>Upstream: not reported. Fails without it: {@code GuardedRaftServerTest}. Can go when Ratis
 * fails every task of a log that has failed.
 */
public final class FailedLog {
  private FailedLog() {}

  /**
   * @param hasLog whether no write to the log has failed
   * @throws IOException if one has
   */
  public static void reject(boolean hasLog) throws IOException {
    if (!hasLog) {
      throw new IOException("A write to the log has failed; this replica acknowledges nothing.");
    }
  }
}
