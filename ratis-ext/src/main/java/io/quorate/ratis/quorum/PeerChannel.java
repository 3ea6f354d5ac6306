package io.quorate.ratis.quorum;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.client.RaftClientRpc;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcFactory;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests to other nodes through Ratis' own port, over one stream to each node for all
 * groups, created on first use. Responses arrive as they are ready, not in the order of the
 * requests. Thread-safe.
 */
public final class PeerChannel implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeerChannel.class);

  private final RaftProperties properties;
  private final Executor executor;
  private final ClientId self = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();
  private final Map<RaftPeerId, AtomicInteger> streams = new ConcurrentHashMap<>();
  private RaftClientRpc rpc;
  private boolean closed;

  /**
   * @param properties client properties, whose request timeout bounds the time until a response
   * @param executor closes broken streams, which may block
   */
  public PeerChannel(RaftProperties properties, Executor executor) {
    this.properties = properties;
    this.executor = executor;
  }

  /**
   * Sends a request. Does not block.
   *
   * @return completes on a thread that must not be blocked; fails with an {@link IOException} if no
   *     response arrived
   */
  CompletableFuture<ByteBuffer> send(RaftGroupId group, RaftPeer to, ByteBuffer request) {
    RaftClientRpc stub = stub();
    if (stub == null) {
      return CompletableFuture.failedFuture(new IOException("This node is closing."));
    }
    stub.addRaftPeers(List.of(to));
    AtomicInteger stream = streams.computeIfAbsent(to.getId(), id -> new AtomicInteger());
    int generation = stream.get();
    return stub.sendRequestAsyncUnordered(
            RaftClientRequest.newBuilder()
                .setClientId(self)
                .setServerId(to.getId())
                .setGroupId(group)
                .setCallId(calls.incrementAndGet())
                .setMessage(Message.valueOf(UnsafeByteOperations.unsafeWrap(request)))
                .setType(RaftClientRequest.staleReadRequestType(0))
                .build())
        .whenComplete(
            (reply, failure) -> {
              if (failure != null && stream.compareAndSet(generation, generation + 1)) {
                replace(stub, to.getId(), failure);
              }
            })
        .thenCompose(PeerChannel::content);
  }

  private static CompletableFuture<ByteBuffer> content(RaftClientReply reply) {
    return reply.isSuccess()
        ? CompletableFuture.completedFuture(reply.getMessage().getContent().asReadOnlyByteBuffer())
        : CompletableFuture.failedFuture(reply.getException());
  }

  /** Replaces a stream that has failed, because Ratis would continue to use it. */
  private void replace(RaftClientRpc stub, RaftPeerId peer, Throwable failure) {
    LOG.debug("A request to {} got no response", peer, failure);
    try {
      executor.execute(() -> stub.handleException(peer, failure, true));
    } catch (RejectedExecutionException e) {
      LOG.debug("The stream to {} is not replaced: this node is closing", peer, e);
    }
  }

  private synchronized RaftClientRpc stub() {
    if (rpc == null && !closed) {
      rpc = new GrpcFactory(new Parameters()).newRaftClientRpc(self, properties);
    }
    return closed ? null : rpc;
  }

  /** Requests in flight fail. Blocks until the streams are closed. */
  @Override
  public void close() {
    RaftClientRpc open;
    synchronized (this) {
      open = closed ? null : rpc;
      closed = true;
    }
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        LOG.warn("Streams to other nodes were not closed", e);
      }
    }
  }
}
