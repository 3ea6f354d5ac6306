package io.quorate.ratis.fence;

import org.apache.ratis.grpc.server.GrpcLogAppender;
import org.apache.ratis.grpc.server.GrpcServicesImpl;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;

/** Ratis' sender of log entries, for a server whose requests pass a {@link FencedRpc}. */
public class FencedLogAppender extends GrpcLogAppender {

  public FencedLogAppender(RaftServer.Division division, LeaderState state, FollowerInfo follower) {
    super(division, state, follower);
  }

  @Override
  public GrpcServicesImpl getServerRpc() {
    return FencedRpc.unwrap(getServer().getRaftServer().getServerRpc());
  }
}
