package io.quorate.rabia.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.quorate.consensus.NodeId;
import io.quorate.operation.MalformedException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's messages on their way to one peer, and the connection that is kept for them. Any
 * thread offers and flushes; everything else happens on one event loop.
 */
final class MessageLink implements DialedConnection.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(MessageLink.class);

  private final NodeId peer;
  private final Supplier<InetSocketAddress> address;
  private final EventLoop loop;
  private final Dialer dialer;
  private final Groups groups;
  private final TransportMetrics metrics;
  private final Outbox outbox;
  private final AtomicBoolean draining = new AtomicBoolean();
  private final Backoff backoff;

  private Optional<DialedConnection> connection = Optional.empty();
  private Optional<ScheduledFuture<?>> retry = Optional.empty();
  private Optional<Channel> open = Optional.empty();
  private long openedNanos;
  private boolean toldOfFailure;
  private boolean stopped;

  MessageLink(
      NodeId peer,
      Supplier<InetSocketAddress> address,
      EventLoop loop,
      Dialer dialer,
      TransportContext context) {
    this.peer = peer;
    this.address = address;
    this.loop = loop;
    this.dialer = dialer;
    this.groups = context.groups();
    this.metrics = context.metrics();
    TransportSettings settings = context.settings();
    this.outbox = new Outbox(settings.unsentMessagesMax(), settings.unsentBytesMax());
    this.backoff =
        new Backoff(settings.reconnectMin(), settings.reconnectMax(), new SplittableRandom());
  }

  boolean isConnected() {
    return outbox.isOpen();
  }

  long unsentBytes() {
    return outbox.bytes();
  }

  /** Starts to keep a connection. */
  void start() {
    loop.execute(this::connect);
  }

  /** The peer is there: an attempt that waits is made now. */
  void hurry() {
    loop.execute(this::connect);
  }

  /** The address is another one now. */
  void moved() {
    loop.execute(
        () -> {
          connection.ifPresent(there -> there.close("the node has moved"));
          connect();
        });
  }

  /** Ends the connection, for good. */
  void stop() {
    loop.execute(
        () -> {
          stopped = true;
          retry.ifPresent(waiting -> waiting.cancel(false));
          connection.ifPresent(there -> there.close("it is no longer needed"));
        });
  }

  /** Tells a group that has just joined of a connection that was there before. */
  void tell(GroupListener listener) {
    loop.execute(
        () -> {
          if (open.isPresent()) {
            listener.connected(peer);
          }
        });
  }

  /**
   * Adds a message, to be sent with the next flush, or drops it.
   *
   * @param frame stays the caller's
   */
  void offer(ByteBuf frame) {
    ByteBuf mine = frame.retainedDuplicate();
    if (!outbox.offer(mine)) {
      mine.release();
      metrics.dropped(TransportMetrics.Drop.UNSENT_FULL, 1);
    }
  }

  void flush() {
    if (!outbox.isEmpty() && draining.compareAndSet(false, true)) {
      try {
        loop.execute(this::drain);
      } catch (RejectedExecutionException e) {
        // The event loops have ended: nothing is sent any more.
        outbox.close();
      }
    }
  }

  private void drain() {
    draining.set(false);
    if (open.isEmpty()) {
      return;
    }
    Channel channel = open.get();
    int messages = 0;
    long bytes = 0;
    while (channel.isWritable()) {
      ByteBuf frame = outbox.poll();
      if (frame == null) {
        break;
      }
      messages++;
      bytes += frame.readableBytes();
      channel.write(frame, channel.voidPromise());
    }
    if (messages > 0) {
      channel.flush();
      metrics.sent(messages, bytes);
      if (channel.isWritable()) {
        // What came meanwhile; other connections of this loop have a turn before.
        flush();
      }
    }
  }

  private void connect() {
    if (stopped || connection.isPresent()) {
      return;
    }
    retry.ifPresent(waiting -> waiting.cancel(false));
    retry = Optional.empty();
    connection =
        Optional.of(dialer.dial(loop, peer, address.get(), Greeting.Purpose.MESSAGES, this));
  }

  @Override
  public void opened(DialedConnection opened) {
    LOG.info("Connected to a node peer={} address={}", peer, opened.address());
    toldOfFailure = false;
    openedNanos = System.nanoTime();
    open = Optional.of(opened.channel());
    outbox.open();
    groups.connected(peer);
  }

  @Override
  public void closed(DialedConnection lost, String why) {
    connection = Optional.empty();
    boolean wasOpen = open.isPresent();
    open = Optional.empty();
    metrics.dropped(TransportMetrics.Drop.CONNECTION_LOST, outbox.close());
    if (stopped) {
      return;
    }
    if (wasOpen && System.nanoTime() - openedNanos > backoff.maxNanos()) {
      backoff.reset();
    }
    if (wasOpen) {
      LOG.info("Lost the connection to a node peer={}: {}", peer, why);
    } else if (!toldOfFailure) {
      toldOfFailure = true;
      LOG.info(
          "Cannot connect to a node, trying on peer={} address={}: {}", peer, address.get(), why);
    }
    retry = Optional.of(loop.schedule(this::connect, backoff.nextNanos(), TimeUnit.NANOSECONDS));
  }

  @Override
  public void writable() {
    flush();
  }

  @Override
  public void answered(FrameType type, ByteBuf body) {
    throw new MalformedException("an answer came where nothing is asked");
  }

  @Override
  public boolean isNeeded() {
    return true;
  }
}
