package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;
import io.quorate.common.DecodeException;
import io.quorate.common.LogLimit;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The requests of several kinds between the replicas of one group. The first byte of a request is
 * its kind; the engine numbers the kinds. Thread-safe; nothing blocks.
 */
public final class GroupRequests {
  private static final Logger LOG = LoggerFactory.getLogger(GroupRequests.class);
  private static final LogLimit FAILING = new LogLimit();

  /** Serves the requests of one kind. Called on event loops; must neither block nor throw. */
  public interface Handler {
    /**
     * Serves a request.
     *
     * @param request belongs to the handler
     * @return the response, under the conditions of {@link GroupListener#onRequest}
     */
    CompletionStage<ByteBuffer> respond(NodeId from, ByteBuffer request);
  }

  private final PeerTransport transport;
  private final GroupId group;
  private final TrafficClass traffic;
  private final Map<Byte, Handler> handlers;

  /**
   * @param traffic the class of the requests that are sent
   * @param handlers by kind
   */
  public GroupRequests(
      PeerTransport transport, GroupId group, TrafficClass traffic, Map<Byte, Handler> handlers) {
    this.transport = transport;
    this.group = group;
    this.traffic = traffic;
    this.handlers = Map.copyOf(handlers);
  }

  /**
   * Sends a request to the same group at a peer.
   *
   * @param body the bytes of the request after its kind, under the conditions of {@link
   *     PeerTransport#call}
   * @return the response, under the same conditions
   */
  public CompletableFuture<ByteBuffer> call(
      NodeId to, byte kind, List<ByteBuffer> body, RequestTimeout timeout) {
    List<ByteBuffer> request = new ArrayList<>(1 + body.size());
    request.add(ByteBuffer.allocate(1).put(kind).flip());
    request.addAll(body);
    return transport.call(to, group, traffic, request, timeout);
  }

  /**
   * Sends a request to the same group at a peer.
   *
   * @param body is encoded in this call
   * @return the response, as of {@link PeerTransport#call}
   */
  public CompletableFuture<ByteBuffer> call(
      NodeId to, byte kind, RequestBody body, RequestTimeout timeout) {
    return transport.call(to, group, traffic, new OfKind(kind, body), timeout);
  }

  /** A request of a kind. */
  private record OfKind(byte kind, RequestBody body) implements RequestBody {
    @Override
    public int size() {
      return 1 + body.size();
    }

    @Override
    public void write(ByteBuffer to) {
      body.write(to.put(kind));
    }
  }

  /** Receives the requests of peers, for a group that receives nothing else. */
  public GroupListener listener() {
    return new Listener();
  }

  /** Passes a request of a peer to the handler of its kind. */
  public CompletionStage<ByteBuffer> serve(NodeId from, ByteBuffer request) {
    byte kind = request.hasRemaining() ? request.get() : -1;
    Handler handler = handlers.get(kind);
    if (handler == null) {
      return CompletableFuture.failedFuture(
          new IOException("This version supports no request of kind " + kind + "."));
    }
    try {
      return handler.respond(from, request);
    } catch (RuntimeException e) {
      // Thrown on, it would close the connection of all groups.
      FAILING.log(
          leftOut ->
              LOG.error(
                  "A request of a peer failed peer={} group={} kind={}{}",
                  from,
                  group,
                  kind,
                  LogLimit.text(leftOut),
                  e));
      return CompletableFuture.failedFuture(e);
    }
  }

  private final class Listener implements GroupListener {
    @Override
    public CompletionStage<ByteBuffer> onRequest(NodeId from, ByteBuffer request) {
      return serve(from, request);
    }

    @Override
    public void received(NodeId from, ByteBuf message) {
      throw new DecodeException("group " + group + " receives only requests");
    }

    @Override
    public void connected(NodeId peer) {
      // No message waits for a connection.
    }

    @Override
    public void reachabilityChanged() {
      // A request to an unreachable peer fails.
    }
  }
}
