package io.quorate.rabia.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import io.quorate.operation.MalformedException;
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
 * What this node asks of one peer. A connection is made when there is something to ask, and closed
 * when there is nothing for a while. Any thread asks; everything else happens on one event loop.
 */
final class RequestLink implements DialedConnection.Owner {
  private static final int HEADER_BYTES = Long.BYTES + Integer.BYTES;

  private record Pending(
      ByteBuffer request, GroupId group, CompletableFuture<ByteBuffer> answer, Future<?> timeout) {}

  private final NodeId peer;
  private final Supplier<InetSocketAddress> address;
  private final EventLoop loop;
  private final Dialer dialer;
  private final TransportSettings settings;
  private final InFlight inFlight;

  /** By correlation, in the order of asking. Bounded by what may be in flight. */
  private final Map<Long, Pending> pending = new LinkedHashMap<>();

  private Optional<DialedConnection> connection = Optional.empty();
  private Optional<Channel> open = Optional.empty();
  private long lastCorrelation;
  private boolean stopped;

  RequestLink(
      NodeId peer,
      Supplier<InetSocketAddress> address,
      EventLoop loop,
      Dialer dialer,
      TransportSettings settings) {
    this.peer = peer;
    this.address = address;
    this.loop = loop;
    this.dialer = dialer;
    this.settings = settings;
    // A peer that does not respond takes nothing from the requests to others.
    this.inFlight = InFlight.ofRequests(settings);
  }

  /**
   * Asks. Fails with an {@link IOException}.
   *
   * @param request read in this call
   */
  CompletableFuture<ByteBuffer> ask(GroupId group, ByteBuffer request) {
    int size = request.remaining();
    if (1 + HEADER_BYTES + size > settings.frameBytesMax()) {
      return failed("A request of " + size + " bytes does not fit a frame (rabia.frame-size-max).");
    }
    if (!inFlight.tryBegin(size)) {
      return failed(
          "This node waits for as many answers of node "
              + peer
              + " as it may (rabia.requests-in-flight-max, rabia.requests-size-max).");
    }
    ByteBuffer copy = ByteBuffer.allocate(size).put(request.duplicate()).flip();
    CompletableFuture<ByteBuffer> answer = new CompletableFuture<>();
    answer.whenComplete((ignored, failure) -> inFlight.end(size));
    try {
      loop.execute(() -> begin(group, copy, answer));
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(new IOException("This node is closing.", e));
    }
    // What the caller does to its future changes nothing here.
    return answer.copy();
  }

  /** Ends the connection, for good; what waits for an answer fails. */
  void stop() {
    loop.execute(
        () -> {
          stopped = true;
          connection.ifPresent(there -> there.close("it is no longer needed"));
        });
  }

  private static CompletableFuture<ByteBuffer> failed(String why) {
    return CompletableFuture.failedFuture(new IOException(why));
  }

  private void begin(GroupId group, ByteBuffer request, CompletableFuture<ByteBuffer> answer) {
    if (stopped) {
      answer.completeExceptionally(new IOException("Node " + peer + " is no longer linked."));
      return;
    }
    long correlation = ++lastCorrelation;
    Future<?> timeout =
        loop.schedule(
            () -> timedOut(correlation), settings.requestTimeout().toNanos(), TimeUnit.NANOSECONDS);
    Pending asked = new Pending(request, group, answer, timeout);
    pending.put(correlation, asked);
    if (open.isPresent()) {
      send(open.get(), correlation, asked);
      open.get().flush();
    } else if (connection.isEmpty()) {
      connection =
          Optional.of(dialer.dial(loop, peer, address.get(), Greeting.Purpose.REQUESTS, this));
    }
  }

  private static void send(Channel channel, long correlation, Pending asked) {
    ByteBufAllocator allocator = channel.alloc();
    ByteBuf frame =
        Frames.begin(allocator, FrameType.REQUEST, HEADER_BYTES + asked.request().remaining());
    frame.writeLong(correlation).writeInt(asked.group().value());
    frame.writeBytes(asked.request().duplicate());
    channel.write(Frames.end(frame), channel.voidPromise());
  }

  private void timedOut(long correlation) {
    Pending late = pending.remove(correlation);
    if (late != null) {
      late.answer()
          .completeExceptionally(
              new IOException(
                  "Node "
                      + peer
                      + " did not answer within "
                      + settings.requestTimeout().toMillis()
                      + "ms (rabia.request-timeout)."));
    }
  }

  @Override
  public void opened(DialedConnection opened) {
    Channel channel = opened.channel();
    open = Optional.of(channel);
    pending.forEach((correlation, asked) -> send(channel, correlation, asked));
    channel.flush();
  }

  @Override
  public void closed(DialedConnection lost, String why) {
    connection = Optional.empty();
    open = Optional.empty();
    List<Pending> unanswered = List.copyOf(pending.values());
    pending.clear();
    for (Pending asked : unanswered) {
      asked.timeout().cancel(false);
      asked
          .answer()
          .completeExceptionally(
              new IOException("The connection to node " + peer + " was lost: " + why + "."));
    }
  }

  @Override
  public void writable() {
    // Nothing waits: what may be in flight is bounded.
  }

  @Override
  public void answered(FrameType type, ByteBuf body) {
    if (body.readableBytes() < Long.BYTES) {
      throw new MalformedException("an answer ends early");
    }
    Pending asked = pending.remove(body.readLong());
    if (asked == null) {
      // It came after its time.
      return;
    }
    asked.timeout().cancel(false);
    if (type == FrameType.ANSWER) {
      ByteBuffer answer = ByteBuffer.allocate(body.readableBytes());
      body.readBytes(answer);
      asked.answer().complete(answer.flip());
    } else {
      asked
          .answer()
          .completeExceptionally(
              new IOException("Node " + peer + " refused: " + Frames.readSentence(body)));
    }
  }

  @Override
  public boolean isNeeded() {
    return !pending.isEmpty();
  }
}
