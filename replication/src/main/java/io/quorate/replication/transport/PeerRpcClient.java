package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.quorate.common.Budget;
import io.quorate.common.DecodeException;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.protocol.frame.FrameChecksum;
import io.quorate.replication.transport.handshake.FrameType;
import io.quorate.replication.transport.handshake.PeerFrames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The requests of one class of this node to one peer. A connection is opened for the first request,
 * and closed when there is none for a while. Any thread sends requests; everything else happens on
 * one event loop.
 */
final class PeerRpcClient implements DialedConnection.Owner {
  private static final int HEADER_BYTES = Long.BYTES + Integer.BYTES;

  private record Pending(
      ByteBuf request, GroupId group, CompletableFuture<ByteBuffer> response, Future<?> timer) {}

  private final NodeId peer;
  private final TrafficClass traffic;
  private final PeerAddresses addresses;
  private final EventLoop loop;
  private final Dialer dialer;
  private final TransportSettings settings;
  private final TransportMetrics metrics;
  private final Budget inFlight;

  /** By correlation, in the order of sending. Bounded by the requests in flight. */
  private final Map<Long, Pending> pending = new LinkedHashMap<>();

  /**
   * The correlations of the requests that are not written, which are still to be released. What is
   * written is copied into memory outside of the heap; so requests wait here until the channel is
   * writable.
   */
  private final Queue<Long> unsent = new ArrayDeque<>();

  private Optional<DialedConnection> connection = Optional.empty();
  private Optional<Channel> open = Optional.empty();
  private long lastCorrelation;

  /** The number of attempts that failed since the last connection. */
  private int failures;

  private boolean stopped;

  PeerRpcClient(
      NodeId peer,
      TrafficClass traffic,
      PeerAddresses addresses,
      EventLoop loop,
      Dialer dialer,
      TransportContext context) {
    this.peer = peer;
    this.traffic = traffic;
    this.addresses = addresses;
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
   * @param request the bytes of the request, which belong to this client
   * @param timeout how long to wait for the response
   */
  CompletableFuture<ByteBuffer> call(GroupId group, ByteBuf request, RequestTimeout timeout) {
    int size = request.readableBytes();
    if (1 + HEADER_BYTES + size > settings.frameBytesMax()) {
      request.release();
      return failed(
          "A request of "
              + size
              + " bytes does not fit a frame ("
              + settings.key("frame-size-max")
              + ").");
    }
    if (!inFlight.tryAcquire(size)) {
      request.release();
      return failed(
          "This node waits for as many responses of node "
              + peer
              + " as it may ("
              + settings.key("requests-in-flight-max")
              + ", "
              + settings.key("requests-size-max")
              + ").");
    }
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
      loop.execute(() -> begin(group, request, timeout, response));
    } catch (RejectedExecutionException e) {
      request.release();
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
      ByteBuf request,
      RequestTimeout timeout,
      CompletableFuture<ByteBuffer> response) {
    if (stopped) {
      request.release();
      response.completeExceptionally(new IOException("Node " + peer + " is no longer linked."));
      return;
    }
    long correlation = ++lastCorrelation;
    Future<?> timer =
        loop.schedule(
            () -> timedOut(correlation, timeout), timeout.value().toNanos(), TimeUnit.NANOSECONDS);
    pending.put(correlation, new Pending(request, group, response, timer));
    unsent.add(correlation);
    if (open.isPresent()) {
      drain(open.get());
    } else if (connection.isEmpty()) {
      connection =
          Optional.of(dialer.dial(loop, peer, addresses.after(failures), traffic.purpose(), this));
    }
  }

  private void drain(Channel channel) {
    while (channel.isWritable() && !unsent.isEmpty()) {
      long correlation = unsent.remove();
      send(channel, correlation, pending.get(correlation));
    }
    channel.flush();
  }

  private static void send(Channel channel, long correlation, Pending call) {
    ByteBuf header = PeerFrames.begin(channel.alloc(), FrameType.REQUEST, HEADER_BYTES);
    header.writeLong(correlation).writeInt(call.group().value());
    ByteBuf request = call.request();
    int checksum = PeerFrames.end(header, request);
    channel.write(header, channel.voidPromise());
    if (request.isWritable(FrameChecksum.BYTES)) {
      channel.write(request.writeInt(checksum), channel.voidPromise());
    } else {
      channel.write(request, channel.voidPromise());
      ByteBuf end = channel.alloc().ioBuffer(FrameChecksum.BYTES);
      channel.write(end.writeInt(checksum), channel.voidPromise());
    }
  }

  private void timedOut(long correlation, RequestTimeout timeout) {
    Pending late = pending.remove(correlation);
    if (late != null) {
      if (unsent.remove(correlation)) {
        late.request().release();
      }
      late.response().completeExceptionally(new IOException(timeout.reason(peer)));
    }
  }

  @Override
  public void opened(DialedConnection opened) {
    failures = 0;
    open = Optional.of(opened.channel());
    drain(opened.channel());
  }

  @Override
  public void closed(DialedConnection lost, String reason) {
    connection = Optional.empty();
    if (open.isEmpty()) {
      failures++;
    }
    open = Optional.empty();
    unsent.forEach(correlation -> pending.get(correlation).request().release());
    unsent.clear();
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
    open.ifPresent(this::drain);
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
