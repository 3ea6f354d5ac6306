package io.quorate.ratis.guards;

import java.util.function.UnaryOperator;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.ServerFactory;

/** Creates guarded servers behind a simulated network of a test. */
public final class GuardedNetwork {
  private GuardedNetwork() {}

  public static ServerFactory newFactory(Parameters parameters, UnaryOperator<RaftServer> network) {
    return GuardedRpcType.newFactory(parameters, network);
  }
}
