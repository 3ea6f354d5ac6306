package io.quorate.ratis.fence;

import java.time.Duration;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.grpc.server.GrpcServices;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/**
 * gRPC with our fences. Ratis makes it by name, so it has a public constructor without parameters
 * and gets what it needs through {@link Parameters}.
 */
public final class FencedRpcType implements RpcType {
  private static final String KEY = FencedRpcType.class.getName();

  /** Makes the sender of log entries for one follower of a leader. */
  public interface AppenderFactory {
    LogAppender newLogAppender(RaftServer.Division division, LeaderState state, FollowerInfo to);
  }

  /**
   * What the transport needs from the engine.
   *
   * @param peers answers other replicas
   * @param promisedBefore how long a voter that has just started helps elect nobody, because it may
   *     have promised so before; zero where no leader uses leases
   */
  public record Hooks(AppenderFactory appenders, PeerRequests peers, Duration promisedBefore) {}

  /** Parameters for a server of this type. */
  public static Parameters parameters(Hooks hooks) {
    Parameters parameters = new Parameters();
    parameters.put(KEY, hooks, Hooks.class);
    return parameters;
  }

  @Override
  public String name() {
    return KEY;
  }

  @Override
  public RpcFactory newFactory(Parameters parameters) {
    Hooks hooks = parameters.get(KEY, Hooks.class);
    LeasePromises promises = new LeasePromises(hooks.promisedBefore(), System::nanoTime);
    return new GrpcFactory(parameters) {
      @Override
      public GrpcServices newRaftServerRpc(RaftServer server) {
        return super.newRaftServerRpc(FencedServer.around(server, promises, hooks.peers()));
      }

      @Override
      public LogAppender newLogAppender(
          RaftServer.Division division, LeaderState state, FollowerInfo follower) {
        return hooks.appenders().newLogAppender(division, state, follower);
      }
    };
  }
}
