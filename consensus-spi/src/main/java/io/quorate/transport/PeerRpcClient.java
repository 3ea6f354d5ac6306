package io.quorate.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.quorate.common.Budget;
import io.quorate.common.DecodeException;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The requests of this node to one peer. A connection is opened for the first request, and closed
 * when there is none for a while. Any thread sends requests; everything else happens on one event
 * loop.
 */
final class PeerRpcClient implements DialedConnection.Owner {
  private static final int HEADER_BYTES = Long.BYTES + Integer.BYTES;

  private record Pending(
      ByteBuffer request, GroupId group, CompletableFuture<ByteBuffer> response, Future<?> timer) {}

  private final NodeId peer;
  private final Supplier<InetSocketAddress> address;
  private final EventLoop loop;
  private final Dialer dialer;
  private final TransportSettings settings;
  private final TransportMetrics metrics;
  private final Budget inFlight;

  /** By correlation, in the order of sending. Bounded by the requests in flight. */
  private final Map<Long, Pending> pending = new LinkedHashMap<>();

  private Optional<DialedConnection> connection = Optional.empty();
  private Optional<Channel> open = Optional.empty();
  private long lastCorrelation;
  private boolean stopped;

  PeerRpcClient(
      NodeId peer,
      Supplier<InetSocketAddress> address,
      EventLoop loop,
      Dialer dialer,
      TransportContext context) {
    this.peer = peer;
    this.address = address;
    this.loop = loop;
    this.dialer = dialer;
    this.settings = context.settings();
    this.metrics = context.metrics();
    // One bound for each peer: requests to a peer that does not respond delay no others.
    this.inFlight = settings.newRequestBudget();
  }

  /**
   * Sends a request. Fails with an {@link IOException}.
   *
   * @param request read in this call
   * @param timeout how long to wait for the response
   */
  CompletableFuture<ByteBuffer> call(GroupId group, ByteBuffer request, RequestTimeout timeout) {
    int size = request.remaining();
    if (1 + HEADER_BYTES + size > settings.frameBytesMax()) {
      return failed(
          "A request of "
              + size
              + " bytes does not fit a frame ("
              + settings.key("frame-size-max")
              + ").");
    }
    if (!inFlight.tryAcquire(size)) {
      return failed(
          "This node waits for as many responses of node "
              + peer
              + " as it may ("
              + settings.key("requests-in-flight-max")
              + ", "
              + settings.key("requests-size-max")
              + ").");
    }
    ByteBuffer copy = ByteBuffer.allocate(size).put(request.duplicate()).flip();
    CompletableFuture<ByteBuffer> response = new CompletableFuture<>();
    metrics.requestSent();
    response.whenComplete(
        (ignored, failure) -> {
          inFlight.release(size);
          if (failure != null) {
            metrics.requestFailed();
          }
        });
    try {
      loop.execute(() -> begin(group, copy, timeout, response));
    } catch (RejectedExecutionException e) {
      response.completeExceptionally(new IOException("This node is closing.", e));
    }
    // The caller cannot complete the original future.
    return response.copy();
  }

  /** Closes the connection permanently; requests in flight fail. */
  void stop() {
    loop.execute(
        () -> {
          stopped = true;
          connection.ifPresent(there -> there.close("it is no longer needed"));
        });
  }

  private CompletableFuture<ByteBuffer> failed(String reason) {
    metrics.requestFailed();
    return CompletableFuture.failedFuture(new IOException(reason));
  }

  private void begin(
      GroupId group,
      ByteBuffer request,
      RequestTimeout timeout,
      CompletableFuture<ByteBuffer> response) {
    if (stopped) {
      response.completeExceptionally(new IOException("Node " + peer + " is no longer linked."));
      return;
    }
    long correlation = ++lastCorrelation;
    Future<?> timer =
        loop.schedule(
            () -> timedOut(correlation, timeout), timeout.value().toNanos(), TimeUnit.NANOSECONDS);
    Pending call = new Pending(request, group, response, timer);
    pending.put(correlation, call);
    if (open.isPresent()) {
      send(open.get(), correlation, call);
      open.get().flush();
    } else if (connection.isEmpty()) {
      connection =
          Optional.of(dialer.dial(loop, peer, address.get(), Handshake.Purpose.REQUESTS, this));
    }
  }

  private static void send(Channel channel, long correlation, Pending call) {
    ByteBufAllocator allocator = channel.alloc();
    ByteBuf frame =
        PeerFrames.begin(allocator, FrameType.REQUEST, HEADER_BYTES + call.request().remaining());
    frame.writeLong(correlation).writeInt(call.group().value());
    frame.writeBytes(call.request().duplicate());
    channel.write(PeerFrames.end(frame), channel.voidPromise());
  }

  private void timedOut(long correlation, RequestTimeout timeout) {
    Pending late = pending.remove(correlation);
    if (late != null) {
      late.response().completeExceptionally(new IOException(timeout.reason(peer)));
    }
  }

  @Override
  public void opened(DialedConnection opened) {
    Channel channel = opened.channel();
    open = Optional.of(channel);
    pending.forEach((correlation, call) -> send(channel, correlation, call));
    channel.flush();
  }

  @Override
  public void closed(DialedConnection lost, String reason) {
    connection = Optional.empty();
    open = Optional.empty();
    List<Pending> lostCalls = List.copyOf(pending.values());
    pending.clear();
    for (Pending call : lostCalls) {
      call.timer().cancel(false);
      call.response()
          .completeExceptionally(
              new IOException("The connection to node " + peer + " was lost: " + reason + "."));
    }
  }

  @Override
  public void writable() {
    // No request is queued: requests in flight are bounded.
  }

  @Override
  public void responded(FrameType type, ByteBuf body) {
    if (body.readableBytes() < Long.BYTES) {
      throw new DecodeException("a response ends early");
    }
    Pending call = pending.remove(body.readLong());
    if (call == null) {
      // The request has timed out.
      return;
    }
    call.timer().cancel(false);
    if (type == FrameType.RESPONSE) {
      ByteBuffer response = ByteBuffer.allocate(body.readableBytes());
      body.readBytes(response);
      call.response().complete(response.flip());
    } else {
      call.response()
          .completeExceptionally(
              new IOException("Node " + peer + " refused: " + PeerFrames.readDetail(body)));
    }
  }

  @Override
  public boolean isNeeded() {
    return !pending.isEmpty();
  }
}
