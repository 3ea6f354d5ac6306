package org.apache.ratis.server.impl;

import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.LogProtoUtils;

/**
 * Gives access to the configurations that Ratis 3.3.0 keeps for each replica. It is in Ratis' own
 * package because Ratis has no public method for this.
 *
 * <p>Part of {@link io.quorate.ratis.patches.LogConfiguration}.
 */
public final class Configurations {
  private Configurations() {}

  /**
   * Adds a configuration, which takes effect if none of a later entry is known. Has no effect if it
   * is known. The caller holds the replica's monitor. Does not block.
   *
   * @param entry with the configuration; in the replica's log
   */
  public static void add(RaftServer.Division division, LogEntryProto entry) {
    ((RaftServerImpl) division).getState().setRaftConf(LogProtoUtils.toRaftConfiguration(entry));
  }
}
