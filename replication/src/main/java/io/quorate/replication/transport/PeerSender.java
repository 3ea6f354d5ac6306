package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.quorate.common.Backoff;
import io.quorate.common.DecodeException;
import io.quorate.common.HostPort;
import io.quorate.model.NodeId;
import io.quorate.replication.transport.handshake.FrameType;
import io.quorate.replication.transport.handshake.Handshake;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends this node's messages to one peer, on a connection that is kept open. Any thread offers and
 * flushes; everything else happens on one event loop.
 */
final class PeerSender implements DialedConnection.Owner {
  private static final Logger LOG = LoggerFactory.getLogger(PeerSender.class);

  private final NodeId peer;
  private final PeerAddresses addresses;
  private final EventLoop loop;
  private final Dialer dialer;
  private final Groups groups;
  private final TransportMetrics metrics;
  private final SendQueue queue;
  private final AtomicBoolean draining = new AtomicBoolean();
  private final ReconnectPauses pauses;
  private final SplittableRandom random = new SplittableRandom();

  private Optional<DialedConnection> connection = Optional.empty();
  private Optional<ScheduledFuture<?>> retry = Optional.empty();
  private Optional<Channel> open = Optional.empty();

  /** The number of attempts that failed since the last connection. */
  private int failures;

  // Null before the first attempt.
  private InetSocketAddress tried;
  private boolean failureLogged;
  private boolean stopped;

  PeerSender(
      NodeId peer,
      PeerAddresses addresses,
      EventLoop loop,
      Dialer dialer,
      TransportContext context) {
    this.peer = peer;
    this.addresses = addresses;
    this.loop = loop;
    this.dialer = dialer;
    this.groups = context.groups();
    this.metrics = context.metrics();
    TransportSettings settings = context.settings();
    this.queue = new SendQueue(settings.unsent().messagesMax(), settings.unsent().bytesMax());
    this.pauses =
        new ReconnectPauses(
            new Backoff(
                settings.connections().reconnectMin(), settings.connections().reconnectMax()));
  }

  boolean isConnected() {
    return queue.isOpen();
  }

  long unsentBytes() {
    return queue.bytes();
  }

  /** Connects, and reconnects from now on. */
  void start() {
    loop.execute(this::connect);
  }

  /** Ends the backoff and connects now, because the peer is up. */
  void connectNow() {
    loop.execute(this::connect);
  }

  /** Connects to the new address of the peer. */
  void addressChanged() {
    loop.execute(
        () -> {
          connection.ifPresent(there -> there.close("the address of the node has changed"));
          connect();
        });
  }

  /** Closes the connection permanently. */
  void stop() {
    loop.execute(
        () -> {
          stopped = true;
          retry.ifPresent(waiting -> waiting.cancel(false));
          connection.ifPresent(there -> there.close("it is no longer needed"));
        });
  }

  /** Reports a connection that is open already to a group that has just joined. */
  void reportTo(GroupListener listener) {
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
   * @param frame still belongs to the caller after this call
   */
  void offer(ByteBuf frame) {
    ByteBuf mine = frame.retainedDuplicate();
    if (!queue.offer(mine)) {
      mine.release();
      metrics.dropped(TransportMetrics.Drop.UNSENT_FULL, 1);
    }
  }

  void flush() {
    if (!queue.isEmpty() && draining.compareAndSet(false, true)) {
      try {
        loop.execute(this::drain);
      } catch (RejectedExecutionException e) {
        // The event loops have ended.
        queue.close();
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
      ByteBuf frame = queue.poll();
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
        // Frames that were added meanwhile, after other connections of this loop.
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
    tried = addresses.after(failures);
    connection = Optional.of(dialer.dial(loop, peer, tried, Handshake.Purpose.MESSAGES, this));
  }

  @Override
  public void opened(DialedConnection opened) {
    LOG.info("Connected to a node peer={} address={}", peer, opened.address());
    failureLogged = false;
    failures = 0;
    pauses.opened(System.nanoTime());
    open = Optional.of(opened.channel());
    queue.open();
    groups.connected(peer);
  }

  @Override
  public void closed(DialedConnection lost, String reason) {
    connection = Optional.empty();
    boolean wasOpen = open.isPresent();
    open = Optional.empty();
    metrics.dropped(TransportMetrics.Drop.CONNECTION_LOST, queue.close());
    if (stopped) {
      return;
    }
    if (!wasOpen) {
      failures++;
    }
    if (wasOpen) {
      LOG.info("Lost the connection to a node peer={}: {}", peer, reason);
    } else if (!failureLogged) {
      failureLogged = true;
      LOG.info(
          "Cannot connect to a node, trying on peer={} address={}: {}",
          peer,
          HostPort.text(tried),
          reason);
    }
    long pauseNanos = pauses.closed(System.nanoTime(), random);
    retry = Optional.of(loop.schedule(this::connect, pauseNanos, TimeUnit.NANOSECONDS));
  }

  @Override
  public void writable() {
    flush();
  }

  @Override
  public void responded(FrameType type, ByteBuf body) {
    throw new DecodeException("a response arrived on a connection for messages");
  }

  @Override
  public boolean isNeeded() {
    return true;
  }
}
