package io.quorate.ratis.fence;

import java.time.Duration;
import java.util.function.UnaryOperator;
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
  public record Hooks(
      AppenderFactory appenders,
      PeerRequests peers,
      ReplicaCondition condition,
      Duration promisedBefore) {}

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
    return newFactory(parameters, UnaryOperator.identity());
  }

  /**
   * @param network what requests of other servers pass before they reach the fence
   */
  static GrpcFactory newFactory(Parameters parameters, UnaryOperator<RaftServer> network) {
    Hooks hooks = parameters.get(KEY, Hooks.class);
    LeasePromises promises = new LeasePromises(hooks.promisedBefore(), System::nanoTime);
    AppendSequences sequences = new AppendSequences();
    return new GrpcFactory(parameters) {
      @Override
      public GrpcServices newRaftServerRpc(RaftServer server) {
        RaftServer fenced = FencedServer.around(server, promises, sequences, hooks);
        return FencedRpc.around(
            super.newRaftServerRpc(network.apply(fenced)), server, sequences, hooks.condition());
      }

      @Override
      public LogAppender newLogAppender(
          RaftServer.Division division, LeaderState state, FollowerInfo follower) {
        return hooks.appenders().newLogAppender(division, state, follower);
      }
    };
  }
}
