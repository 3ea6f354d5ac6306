package io.quorate.ratis.bare;

import io.quorate.ratis.guards.GuardedNetwork;
import io.quorate.ratis.guards.GuardedRpcType;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/** A transport over {@link Links}, with the guards of {@code guards} or without them. */
public final class LinkedRpcType implements RpcType {
  private static final String KEY = LinkedRpcType.class.getName();

  /**
   * @param guarded whether requests pass the guards
   */
  record Wiring(Links links, boolean guarded, GuardedRpcType.Hooks hooks) {}

  static Parameters parameters(Wiring wiring) {
    Parameters parameters = GuardedRpcType.parameters(wiring.hooks());
    parameters.put(KEY, wiring, Wiring.class);
    return parameters;
  }

  @Override
  public String name() {
    return KEY;
  }

  @Override
  public RpcFactory newFactory(Parameters parameters) {
    Wiring wiring = parameters.get(KEY, Wiring.class);
    return wiring.guarded()
        ? GuardedNetwork.newFactory(parameters, wiring.links()::to)
        : new Unguarded(wiring);
  }

  private record Unguarded(Wiring wiring) implements ServerFactory {
    @Override
    public RpcType getRpcType() {
      return new LinkedRpcType();
    }

    @Override
    public RaftServerRpc newRaftServerRpc(RaftServer server) {
      return wiring.hooks().transport().apply(wiring.links().to(server));
    }

    @Override
    public LogAppender newLogAppender(
        RaftServer.Division division, LeaderState state, FollowerInfo follower) {
      return wiring.hooks().appenders().newLogAppender(division, state, follower);
    }
  }
}
