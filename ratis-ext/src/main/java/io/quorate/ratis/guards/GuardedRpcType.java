package io.quorate.ratis.guards;

import io.quorate.ratis.patches.AppendSequences;
import io.quorate.ratis.patches.Elections;
import io.quorate.ratis.patches.ReplacedAppender;
import io.quorate.ratis.read.LeaseGrants;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
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
 * A transport of Ratis with the guards of this package, in front of the bound on the unapplied log.
 * Ratis instantiates it by class name, so it has a public constructor without parameters and takes
 * its dependencies from {@link Parameters}.
 */
public final class GuardedRpcType implements RpcType {
  private static final String KEY = GuardedRpcType.class.getName();

  /** Creates the log appender for one follower of a leader. */
  public interface AppenderFactory {
    LogAppender newLogAppender(RaftServer.Division division, LeaderState state, FollowerInfo to);
  }

  /**
   * What the transport needs from the engine.
   *
   * @param transport creates the transport that is guarded, for a server that receives from it
   * @param grantedBefore for how long after its start a voter helps to elect no leader, because it
   *     may have granted a lease before; zero if no leader uses leases
   * @param removed receives a group of which this server is no longer a member, before Ratis closes
   *     its replica
   */
  public record Hooks(
      Function<RaftServer, RaftServerRpc> transport,
      AppenderFactory appenders,
      ReplicaCondition condition,
      Duration grantedBefore,
      Consumer<RaftGroupId> removed) {}

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
   * @param network wraps the guarded server; requests of other servers pass it before the guards
   */
  static ServerFactory newFactory(Parameters parameters, UnaryOperator<RaftServer> network) {
    Hooks hooks = parameters.get(KEY, Hooks.class);
    LeaseGrants leaseGrants = new LeaseGrants(hooks.grantedBefore(), System::nanoTime);
    AppendSequences sequences = new AppendSequences();
    Elections elections = new Elections();
    return new ServerFactory() {
      @Override
      public RpcType getRpcType() {
        return new GuardedRpcType();
      }

      @Override
      public RaftServerRpc newRaftServerRpc(RaftServer server) {
        RaftServer guarded =
            new GuardedRaftServer(server, leaseGrants, sequences, hooks.condition());
        return new GuardedRpc(
            hooks.transport().apply(network.apply(guarded)), server, sequences, elections, hooks);
      }

      @Override
      public LogAppender newLogAppender(
          RaftServer.Division division, LeaderState state, FollowerInfo follower) {
        elections.requireElected(division);
        ReplacedAppender.keepMember(division, follower);
        return hooks.appenders().newLogAppender(division, state, follower);
      }
    };
  }
}
