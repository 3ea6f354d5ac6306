package io.quorate.ratis.guards;

import org.apache.ratis.grpc.server.GrpcLogAppender;
import org.apache.ratis.grpc.server.GrpcServicesImpl;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;

/** Ratis' log appender, for a server whose outgoing requests pass a {@link GuardedRpc}. */
public class GuardedLogAppender extends GrpcLogAppender {

  public GuardedLogAppender(
      RaftServer.Division division, LeaderState state, FollowerInfo follower) {
    super(division, state, follower);
  }

  @Override
  public GrpcServicesImpl getServerRpc() {
    return GuardedRpc.unwrap(getServer().getRaftServer().getServerRpc());
  }
}
