package io.quorate.ratis.patches;

import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.protocol.exceptions.ServerNotReadyException;
import org.apache.ratis.server.RaftServer;

/**
 * Rejects requests that need a write to a disk that does not respond. Ratis 3.3.0 persists a term
 * under the monitor that all other operations of the replica need, and entries would fill its
 * queue.
 *
 * <p>Upstream: not reported. Fails without it: {@code GuardedRaftServerTest}. Can go when Ratis
 * persists term and vote without the monitor, and rejects entries that would wait for its disk.
 */
public final class UnresponsiveDisk {
  private UnresponsiveDisk() {}

  /**
   * To be called while the disk does not respond, with a request that may need a write: one with
   * entries or a newer term. Heartbeats of the current term pass, so that a pause of the disk does
   * not start an election.
   *
   * @throws ServerNotReadyException if the request needs a write
   */
  public static void reject(RaftServer.Division division, AppendEntriesRequestProto request)
      throws ServerNotReadyException {
    if (request.getEntriesCount() > 0
        || request.getLeaderTerm() > division.getInfo().getCurrentTerm()) {
      reject();
    }
  }

  /**
   * To be called while the disk does not respond, with a request that always needs a write.
   *
   * @throws ServerNotReadyException always
   */
  public static void reject() throws ServerNotReadyException {
    throw new ServerNotReadyException(
        "The disk of this replica does not respond; the request is rejected.");
  }
}
