package io.quorate.ratis.flow;

import io.quorate.ratis.fence.FencedRpcType;
import java.util.function.Predicate;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/**
 * gRPC with our fences, in front of logs that are bounded. Ratis makes it by name, so it has a
 * public constructor without parameters and gets what it needs through {@link Parameters}.
 */
public final class BoundedRpcType implements RpcType {
  private static final String KEY = BoundedRpcType.class.getName();

  private record Bounds(Predicate<RaftGroupId> isFull) {}

  /**
   * Parameters for a server of this type.
   *
   * @param fenced those of the type that has the fences
   * @param isFull whether a group of this node takes no entries now; any thread, does not block
   */
  public static Parameters parameters(Parameters fenced, Predicate<RaftGroupId> isFull) {
    fenced.put(KEY, new Bounds(isFull), Bounds.class);
    return fenced;
  }

  @Override
  public String name() {
    return KEY;
  }

  @Override
  public RpcFactory newFactory(Parameters parameters) {
    Bounds bounds = parameters.get(KEY, Bounds.class);
    GrpcFactory fenced = (GrpcFactory) new FencedRpcType().newFactory(parameters);
    return new GrpcFactory(parameters) {
      @Override
      public GrpcServices newRaftServerRpc(RaftServer server) {
        return fenced.newRaftServerRpc(BoundedServer.around(server, bounds.isFull()));
      }

      @Override
      public LogAppender newLogAppender(
          RaftServer.Division division, LeaderState state, FollowerInfo follower) {
        return fenced.newLogAppender(division, state, follower);
      }
    };
  }
}
