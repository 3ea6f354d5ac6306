package org.apache.ratis.server.impl;

import org.apache.ratis.server.RaftServer;

/** How many entries Ratis keeps because they are not applied. */
public final class KeptContexts {
  private KeptContexts() {}

  public static int of(RaftServer.Division division) {
    return ((RaftServerImpl) division).getTransactionContextMapForTesting().size();
  }
}
