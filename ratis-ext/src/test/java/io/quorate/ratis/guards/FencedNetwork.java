package io.quorate.ratis.guards;

import java.util.function.UnaryOperator;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.ServerFactory;

/** Fenced servers with a network of a test's own in front of them. */
public final class FencedNetwork {
  private FencedNetwork() {}

  public static ServerFactory newFactory(Parameters parameters, UnaryOperator<RaftServer> network) {
    return GuardedRpcType.newFactory(parameters, network);
  }
}
