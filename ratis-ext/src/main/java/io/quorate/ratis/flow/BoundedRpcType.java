package io.quorate.ratis.flow;

import io.quorate.ratis.guards.GuardedRpcType;
import java.util.function.Predicate;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/**
 * A transport with the guards of {@link GuardedRpcType} behind a bound on the unapplied log. Ratis
 * instantiates it by class name, so it has a public constructor without parameters and takes its
 * dependencies from {@link Parameters}.
 */
public final class BoundedRpcType implements RpcType {
  private static final String KEY = BoundedRpcType.class.getName();

  private record Bounds(Predicate<RaftGroupId> isFull) {}

  /**
   * Parameters for a server of this type.
   *
   * @param guarded the parameters of {@link GuardedRpcType}
   * @param isFull whether a group of this node takes no entries now; any thread, does not block
   */
  public static Parameters parameters(Parameters guarded, Predicate<RaftGroupId> isFull) {
    guarded.put(KEY, new Bounds(isFull), Bounds.class);
    return guarded;
  }

  @Override
  public String name() {
    return KEY;
  }

  @Override
  public RpcFactory newFactory(Parameters parameters) {
    Bounds bounds = parameters.get(KEY, Bounds.class);
    ServerFactory guarded = (ServerFactory) new GuardedRpcType().newFactory(parameters);
    return new ServerFactory() {
      @Override
      public RpcType getRpcType() {
        return BoundedRpcType.this;
      }

      @Override
      public RaftServerRpc newRaftServerRpc(RaftServer server) {
        return guarded.newRaftServerRpc(BoundedServer.around(server, bounds.isFull()));
      }

      @Override
      public LogAppender newLogAppender(
          RaftServer.Division division, LeaderState state, FollowerInfo follower) {
        return guarded.newLogAppender(division, state, follower);
      }
    };
  }
}
