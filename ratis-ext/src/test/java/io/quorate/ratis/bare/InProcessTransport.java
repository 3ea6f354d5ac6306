package io.quorate.ratis.bare;

import io.quorate.common.Budget;
import io.quorate.model.NodeId;
import io.quorate.ratis.rpc.PeerRpc;
import io.quorate.ratis.rpc.RaftMessageHandlers;
import io.quorate.replication.requests.RequestKind;
import io.quorate.replication.transport.GroupRequests;
import io.quorate.replication.transport.RequestBody;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;

/** Passes the messages of servers in this JVM to each other, in their encoding. */
final class InProcessTransport implements AutoCloseable {
  private static final long TIMEOUT_SECONDS = 3;

  private final Map<NodeId, Map<RequestKind, GroupRequests.Handler>> receivers =
      new ConcurrentHashMap<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();

  /** The transport of one server. */
  RaftServerRpc of(RaftPeerId id, RaftServer receiver) {
    NodeId self = new NodeId(id.toString());
    receivers.put(
        self,
        new RaftMessageHandlers(
                receiver,
                (group, leader, term) -> false,
                RaftMessageHandlers.Entries.ANY,
                threads,
                threads)
            .byKind());
    return new PeerRpc(
        new LinkedRpcType(),
        InetSocketAddress.createUnresolved("in-process", 1),
        () -> new Budget(1 << 10, 1 << 30),
        (to, kind, body) -> send(self, to, kind, body));
  }

  private CompletableFuture<ByteBuffer> send(
      NodeId from, NodeId to, RequestKind kind, RequestBody body) {
    Map<RequestKind, GroupRequests.Handler> receiver = receivers.get(to);
    if (receiver == null) {
      return CompletableFuture.failedFuture(new IOException("There is no " + to + " yet."));
    }
    ByteBuffer bytes = ByteBuffer.allocate(body.size());
    body.write(bytes);
    return receiver
        .get(kind)
        .respond(from, bytes.flip())
        .toCompletableFuture()
        .orTimeout(TIMEOUT_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
