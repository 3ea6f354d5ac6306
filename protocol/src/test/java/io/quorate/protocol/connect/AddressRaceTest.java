package io.quorate.protocol.connect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.quorate.common.LoopbackPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AddressRaceTest {
  private static final MultiThreadIoEventLoopGroup GROUP =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private static final EventLoop LOOP = GROUP.next();
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  /** The port is the same on every address. */
  private final int port = LoopbackPorts.next();

  @AfterAll
  static void stop() {
    GROUP.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** Whichever the order is; what the server sends first is not lost. */
  @RepeatedTest(8)
  void theAddressAtWhichAServerListensIsFound() throws IOException {
    try (ServerSocket server = listen("127.0.0.4")) {
      CompletableFuture<String> received =
          race(Runnable::run, "127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5");
      try (Socket accepted = server.accept()) {
        accepted.getOutputStream().write('x');
        assertThat(received.join()).isEqualTo("/127.0.0.4:" + port + " x");
      }
    }
  }

  /** A full backlog is like a host that drops what it receives. */
  @Test
  void anAddressThatDoesNotRespondDelaysTheOthersForAMoment() throws IOException {
    try (ServerSocket silent = new ServerSocket();
        ServerSocket server = listen("127.0.0.4")) {
      silent.bind(new InetSocketAddress("127.0.0.2", port), 1);
      List<Socket> fill = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        Socket socket = new Socket();
        fill.add(socket);
        try {
          socket.connect(silent.getLocalSocketAddress(), 200);
        } catch (IOException e) {
          // The backlog is full.
          break;
        }
      }
      // Of six orders, some begin with the silent one; each ends long before the timeout of one.
      for (int i = 0; i < 6; i++) {
        CompletableFuture<String> received = race(Runnable::run, "127.0.0.2", "127.0.0.4");
        try (Socket accepted = server.accept()) {
          accepted.getOutputStream().write('y');
          assertThat(received.join()).isEqualTo("/127.0.0.4:" + port + " y");
        }
      }
      for (Socket socket : fill) {
        socket.close();
      }
    }
  }

  @Test
  void theRaceFailsAfterTheLastAddress() {
    assertThatThrownBy(() -> race(Runnable::run, "127.0.0.2", "127.0.0.3").join())
        .isInstanceOf(CompletionException.class)
        .hasMessageContaining("refused");
  }

  @Test
  void aHostThatIsUnknownAndALookupThatIsNotPossibleAreFailures() {
    AddressRace.Lookup none =
        host -> {
          throw new UnknownHostException(host + ": too much detail");
        };
    assertThatThrownBy(() -> race(none, Runnable::run).join())
        .hasMessageContaining("unknown host several");
    Executor full =
        task -> {
          throw new RejectedExecutionException();
        };
    assertThatThrownBy(() -> race(full, "127.0.0.2").join())
        .hasMessageContaining("too many name lookups");
  }

  @Test
  void whatALookupThrowsIsTheFailure() {
    Error thrown = new StackOverflowError("thrown by a test");
    AddressRace.Lookup failing =
        host -> {
          throw thrown;
        };
    assertThatThrownBy(() -> race(failing, Runnable::run).join()).hasRootCause(thrown);
    assertThatThrownBy(() -> race(host -> null, Runnable::run).join())
        .hasRootCauseInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> race(host -> new InetAddress[0], Runnable::run).join())
        .hasMessageContaining("has no address");
  }

  @Test
  void onlyOneConnectionStays() throws IOException {
    try (ServerSocket first = listen("127.0.0.2");
        ServerSocket second = listen("127.0.0.3")) {
      Executor names = Executors.newSingleThreadExecutor();
      CompletableFuture<String> received = race(names, "127.0.0.2", "127.0.0.3");
      int begun = 0;
      for (ServerSocket server : List.of(first, second)) {
        server.setSoTimeout(500);
        try (Socket accepted = server.accept()) {
          accepted.getOutputStream().write('z');
          begun++;
        } catch (IOException e) {
          // The other address was the first one.
          continue;
        }
      }
      assertThat(received.join()).endsWith(" z");
      assertThat(begun).isPositive();
    }
  }

  private ServerSocket listen(String address) throws IOException {
    ServerSocket server = new ServerSocket();
    server.setSoTimeout((int) TIMEOUT.toMillis());
    server.bind(new InetSocketAddress(address, port), 50);
    return server;
  }

  private CompletableFuture<String> race(Executor lookups, String... addresses) {
    return race(
        host -> {
          InetAddress[] found = new InetAddress[addresses.length];
          for (int i = 0; i < found.length; i++) {
            found[i] = InetAddress.getByName(addresses[i]);
          }
          return found;
        },
        lookups);
  }

  /** Completes with the address and what was received there. */
  private CompletableFuture<String> race(AddressRace.Lookup lookup, Executor lookups) {
    CompletableFuture<String> received = new CompletableFuture<>();
    AddressRace.start(
        LOOP,
        lookup,
        lookups,
        new Bootstrap().group(LOOP).channel(NioSocketChannel.class),
        InetSocketAddress.createUnresolved("several", port),
        TIMEOUT,
        new AddressRace.Outcome() {
          @Override
          public void connected(Channel channel) {
            channel.pipeline().addLast(new FirstBytes(received));
          }

          @Override
          public void failed(Throwable cause) {
            received.completeExceptionally(cause);
          }
        });
    return received;
  }

  private static final class FirstBytes extends SimpleChannelInboundHandler<ByteBuf> {
    private final CompletableFuture<String> received;
    private boolean active;

    FirstBytes(CompletableFuture<String> received) {
      this.received = received;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      active = true;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
      assertThat(active).isTrue();
      received.complete(context.channel().remoteAddress() + " " + (char) bytes.readByte());
      context.close();
    }
  }
}
