package io.quorate.ratis.guards;

import io.quorate.common.Budget;
import io.quorate.ratis.rpc.PeerRpc;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.ratis.protocol.RaftGroupId;

/** The hooks of a guarded server that only receives. */
final class ReceivingHooks {
  private ReceivingHooks() {}

  static GuardedRpcType.Hooks of(ReplicaCondition condition, Consumer<RaftGroupId> removed) {
    return new GuardedRpcType.Hooks(
        receiver ->
            new PeerRpc(
                new GuardedRpcType(),
                InetSocketAddress.createUnresolved("here", 1),
                () -> new Budget(1, 1),
                (to, kind, body) ->
                    CompletableFuture.failedFuture(new IOException("Nothing is sent here."))),
        (division, state, follower) -> {
          throw new IllegalStateException("no leader here");
        },
        condition,
        Duration.ZERO,
        removed);
  }
}
