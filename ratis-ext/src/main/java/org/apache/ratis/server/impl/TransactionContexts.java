package org.apache.ratis.server.impl;

import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;

/**
 * Gives access to the context that Ratis 3.3.0 keeps, with the entry in it, for each entry of a
 * follower's log that is not applied. It is in Ratis' own package because Ratis has no public
 * method for this.
 *
 * <p>Upstream: not reported. Fails without it: {@code SlowFollowerTest}. Can go when Ratis creates
 * the context of an entry when it applies the entry.
 */
public final class TransactionContexts {
  private TransactionContexts() {}

  /**
   * Drops the context of an entry. A thread that is using the context keeps it; applying the entry
   * creates a new one, as after a restart. Any thread; does not block.
   */
  public static void forget(RaftServer.Division division, LogEntryProto entry) {
    ((RaftServerImpl) division).getTransactionManager().remove(TermIndex.valueOf(entry));
  }
}
