package org.apache.ratis.server.impl;

import org.apache.ratis.server.RaftServer;

/** Counts the contexts that Ratis keeps, with their entries, for entries that are not applied. */
public final class KeptContexts {
  private KeptContexts() {}

  public static int of(RaftServer.Division division) {
    return ((RaftServerImpl) division).getTransactionContextMapForTesting().size();
  }
}
