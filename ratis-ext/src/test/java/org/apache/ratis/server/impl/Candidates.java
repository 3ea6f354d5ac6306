package org.apache.ratis.server.impl;

import java.io.IOException;
import org.apache.ratis.server.RaftServer;

/** Lets tests do what requests of other candidates and election timeouts do. */
public final class Candidates {
  private Candidates() {}

  /**
   * Makes a candidate a follower in a later term, as the request of a candidate whose log is behind
   * does, and then a candidate again.
   */
  public static void beginAgain(RaftServer.Division division, long term) throws IOException {
    RaftServerImpl server = (RaftServerImpl) division;
    synchronized (server) {
      // The thread of the election may wait for the monitor: its end is not awaited here.
      server.changeToFollowerAndPersistMetadata(term, false, "a candidate that is behind");
      server.changeToCandidate(false);
    }
  }
}
