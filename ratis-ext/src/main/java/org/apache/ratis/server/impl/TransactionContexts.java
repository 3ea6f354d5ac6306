package org.apache.ratis.server.impl;

import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;

/**
 * Reaches what Ratis 3.3.0 keeps for each entry of a follower's log that is not applied: a context,
 * with the entry in it. It is in Ratis' own package because there is no public way there.
 */
public final class TransactionContexts {
  private TransactionContexts() {}

  /**
   * Drops the context of an entry. Whoever is using it goes on with it; applying makes a new one,
   * as it does after a restart. Any thread; does not block.
   */
  public static void forget(RaftServer.Division division, LogEntryProto entry) {
    ((RaftServerImpl) division).getTransactionManager().remove(TermIndex.valueOf(entry));
  }
}
