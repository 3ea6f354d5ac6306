package io.quorate.ratis.patches;

import org.apache.ratis.protocol.exceptions.ServerNotReadyException;

/**
 * Rejects snapshots and entries until the group is open. Ratis 3.3.0 installs snapshots before:
 * until it has read its term it accepts the leader of an older term and overwrites the newer term,
 * and the vote with it; after that, the opening fails, because the election timer is already
 * running. Entries it rejects, but logs each time an error with its stack trace. Its state does not
 * say it: that of a new member is STARTING until it has received its first entries, before which it
 * may have to install a snapshot, and that of others is RUNNING before they are open.
 *
 * <p>Upstream: not reported. Fails without it: {@code OpeningReplicaTest}. Can go when Ratis
 * rejects both, and logs no error, until the replica is open.
 */
public final class RequestWhileOpening {
  private RequestWhileOpening() {}

  /**
   * @param isOpen whether the group is open
   * @throws ServerNotReadyException if not
   */
  public static void reject(boolean isOpen) throws ServerNotReadyException {
    if (!isOpen) {
      throw new ServerNotReadyException("This replica is being opened.");
    }
  }
}
