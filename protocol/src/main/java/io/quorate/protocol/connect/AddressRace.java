package io.quorate.protocol.connect;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import io.quorate.common.HostPort;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * One connection to a host that may have several addresses, such as all instances of a service, or
 * an IPv6 and an IPv4 address: the addresses are tried in a random order, the next one when one has
 * failed, or has not responded for a moment. The first connection that is established is the
 * result, and the others are closed. Used by one event loop; names are looked up elsewhere.
 */
public final class AddressRace {
  /** The most addresses that are tried. */
  public static final int ADDRESSES_MAX = 16;

  /** How long an address has before the next one is tried too, at most. */
  private static final long PAUSE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(250);

  /** The addresses of a host. Blocks. */
  public interface Lookup {
    /** The name service of this machine. */
    Lookup SYSTEM = InetAddress::getAllByName;

    /**
     * @throws UnknownHostException if the host has none
     */
    InetAddress[] of(String host) throws UnknownHostException;
  }

  /** Receives the result, once, on the event loop, unless the race was cancelled. */
  public interface Outcome {
    /**
     * A connection is established.
     *
     * @param channel without handlers of its owner, who adds them in this call; they learn next
     *     that it is active
     */
    void connected(Channel channel);

    /**
     * No address could be connected to, or the lookup has thrown something.
     *
     * @param cause why the last one could not
     */
    void failed(Throwable cause);
  }

  private final EventLoop loop;
  private final Bootstrap bootstrap;
  private final Outcome outcome;
  private final Queue<InetSocketAddress> untried = new ArrayDeque<>();
  private final List<Channel> channels = new ArrayList<>();
  private int addresses;
  private int pending;
  private long pauseNanos;
  private ScheduledFuture<?> next;
  private boolean over;

  private AddressRace(EventLoop loop, Bootstrap bootstrap, Outcome outcome) {
    this.loop = loop;
    this.bootstrap = bootstrap;
    this.outcome = outcome;
  }

  /**
   * Starts to connect.
   *
   * @param lookup of names, executed by {@code lookups}; an IP address is not looked up
   * @param bootstrap has the group, the type and the options of channels, and no handler
   * @param address the host need not have been looked up, and is looked up each time
   * @param timeout every address is tried within this time; the bootstrap has the timeout of one
   */
  public static AddressRace start(
      EventLoop loop,
      Lookup lookup,
      Executor lookups,
      Bootstrap bootstrap,
      InetSocketAddress address,
      Duration timeout,
      Outcome outcome) {
    AddressRace race = new AddressRace(loop, bootstrap, outcome);
    String host = address.getHostString();
    try {
      (HostPort.isIpAddress(host) ? loop : lookups)
          .execute(
              () -> {
                try {
                  List<InetAddress> found = Arrays.asList(lookup.of(host).clone());
                  race.lookedUp(() -> race.begin(found, address.getPort(), timeout));
                } catch (UnknownHostException e) {
                  race.lookedUp(() -> race.fail(new UnknownHostException("unknown host " + host)));
                } catch (Throwable e) {
                  race.lookedUp(() -> race.fail(e));
                }
              });
    } catch (RejectedExecutionException e) {
      loop.execute(
          () -> race.fail(new IOException("too many name lookups are queued on this node", e)));
    }
    return race;
  }

  private void lookedUp(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      // The event loop has ended, and with it what the connection was for.
      return;
    }
  }

  /** The number of addresses that the host has; 0 while that is not known. */
  public int addresses() {
    return addresses;
  }

  /** Closes every channel of the race, that of the result too. On the event loop. */
  public void cancel() {
    end();
    channels.forEach(Channel::close);
  }

  private void begin(List<InetAddress> found, int port, Duration timeout) {
    if (over) {
      return;
    }
    if (found.isEmpty()) {
      fail(new UnknownHostException("its host has no address"));
      return;
    }
    addresses = found.size();
    Collections.shuffle(found);
    found.stream()
        .limit(ADDRESSES_MAX)
        .map(each -> new InetSocketAddress(each, port))
        .forEach(untried::add);
    pauseNanos = Math.min(PAUSE_NANOS_MAX, timeout.toNanos() / (untried.size() + 1));
    connectNext();
  }

  /** What is thrown fails the race: an event loop would drop it. */
  private void connectNext() {
    try {
      connect();
    } catch (Throwable e) {
      fail(e);
    }
  }

  private void connect() {
    if (over) {
      return;
    }
    pending++;
    ChannelFuture connecting =
        bootstrap
            .clone()
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(new Contestant());
                  }
                })
            .connect(untried.remove());
    channels.add(connecting.channel());
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            onLoop(() -> lostOne(done.cause()));
          }
        });
    if (!untried.isEmpty()) {
      next = loop.schedule(this::connectNext, pauseNanos, TimeUnit.NANOSECONDS);
    }
  }

  private void onLoop(Runnable task) {
    if (loop.inEventLoop()) {
      task.run();
    } else {
      loop.execute(task);
    }
  }

  private void lostOne(Throwable cause) {
    pending--;
    if (over) {
      return;
    }
    if (!untried.isEmpty()) {
      next.cancel(false);
      connectNext();
    } else if (pending == 0) {
      fail(cause);
    }
  }

  private void fail(Throwable cause) {
    if (!over) {
      end();
      outcome.failed(cause);
    }
  }

  private boolean isWonBy(Channel channel) {
    if (over) {
      return false;
    }
    end();
    channels.stream().filter(other -> other != channel).forEach(Channel::close);
    return true;
  }

  private void end() {
    over = true;
    untried.clear();
    if (next != null) {
      next.cancel(false);
    }
  }

  /** Takes part with one channel, and leaves its pipeline when it has won. */
  private final class Contestant extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext context) {
      if (isWonBy(context.channel())) {
        outcome.connected(context.channel());
        context.fireChannelActive();
        context.pipeline().remove(this);
      } else {
        context.close();
      }
    }
  }
}
