package io.quorate.protocol.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslHandler;
import io.quorate.model.NodeId;
import io.quorate.protocol.tls.CertificateName.Kind;
import io.quorate.protocol.tls.Tls.Provider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.net.ssl.SSLSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Connections whose ends are BoringSSL or the JDK. */
@Timeout(60)
class ProvidersTest {
  /** Fewer than the certificate of a node has. */
  private static final int CERTIFICATE_BYTES_MIN = 400;

  @TempDir private static Path directory;

  @TempDir private Path own;

  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());

  /** What the accepting end knows of a connection that is complete. */
  private CompletableFuture<SSLSession> accepted;

  @BeforeAll
  static void sign() throws IOException {
    Authority authority = Authority.in(directory);
    for (String node : Set.of("n1", "n2", "n3")) {
      authority.sign(new CertificateName(Kind.NODE, node), Set.of(), directory.resolve(node));
    }
  }

  static Stream<Arguments> ends() {
    return Stream.of(Provider.values())
        .flatMap(
            accepting ->
                Stream.of(Provider.values()).map(dialing -> Arguments.of(accepting, dialing)))
        .filter(
            ends ->
                OpenSsl.isAvailable()
                    || Stream.of(ends.get()).noneMatch(end -> end == Provider.BORINGSSL));
  }

  @BeforeEach
  void copy() throws IOException {
    present("n1");
  }

  private void present(String node) throws IOException {
    for (String name : Set.of(Tls.AUTHORITIES, Tls.CERTIFICATE, Tls.KEY)) {
      Files.copy(
          directory.resolve(node).resolve(name),
          own.resolve(name),
          StandardCopyOption.REPLACE_EXISTING);
    }
  }

  @AfterEach
  void close() {
    loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** The tests below would else show one provider alone. */
  @Test
  @EnabledOnOs(
      value = OS.LINUX,
      architectures = {"amd64", "aarch64"})
  void boringSslIsThere() {
    assertThat(Provider.available()).isEqualTo(Provider.BORINGSSL);
  }

  @ParameterizedTest
  @MethodSource("ends")
  void bothEndsKnowEachOtherAlsoWithRenewedCertificatesAndResumedSessions(
      Provider accepting, Provider dialing) throws Exception {
    Tls server = Tls.load(own, accepting);
    Tls client = Tls.load(directory.resolve("n2"), dialing);
    Channel listener = listen(server);
    Handshake first = connect(client, listener);
    assertThat(first.nodes()).containsExactly("n1", "n2");
    Handshake resumed = connect(client, listener);
    assertThat(resumed.nodes()).containsExactly("n1", "n2");
    assertThat(resumed.bytes()).isLessThan(first.bytes() - CERTIFICATE_BYTES_MIN);
    present("n3");
    assertThat(server.reload()).isTrue();
    Handshake renewed = connect(client, listener);
    assertThat(renewed.nodes()).containsExactly("n3", "n2");
    assertThat(renewed.bytes()).isGreaterThan(resumed.bytes() + CERTIFICATE_BYTES_MIN);
  }

  /**
   * What became of a connection.
   *
   * @param bytes that the accepting end sent; certificates are among them unless a session is
   *     resumed
   */
  private record Handshake(NodeId accepting, NodeId dialing, long bytes) {
    Stream<String> nodes() {
      return Stream.of(accepting, dialing).map(NodeId::value);
    }
  }

  private Channel listen(Tls tls) {
    return new ServerBootstrap()
        .group(loops)
        .channel(NioServerSocketChannel.class)
        .childHandler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                SslHandler encryption = new SslHandler(tls.accepting());
                channel.pipeline().addLast(encryption, new Echo());
                encryption
                    .handshakeFuture()
                    .addListener(done -> accepted.complete(encryption.engine().getSession()));
              }
            })
        .bind(InetAddress.getLoopbackAddress(), 0)
        .syncUninterruptibly()
        .channel();
  }

  /** Sends a byte there and back, so that a session that is offered has arrived. */
  private Handshake connect(Tls tls, Channel listener) throws Exception {
    accepted = new CompletableFuture<>();
    InetSocketAddress to = (InetSocketAddress) listener.localAddress();
    SslHandler encryption = new SslHandler(tls.dialing(to));
    Counted counted = new Counted();
    CompletableFuture<Void> answered = new CompletableFuture<>();
    Channel channel =
        new Bootstrap()
            .group(loops)
            .channel(NioSocketChannel.class)
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel opened) {
                    opened.pipeline().addLast(counted, encryption, new Answered(answered));
                  }
                })
            .connect(to)
            .sync()
            .channel();
    encryption.handshakeFuture().sync();
    channel.writeAndFlush(Unpooled.buffer(1).writeByte(1)).sync();
    answered.get();
    Handshake handshake =
        new Handshake(
            tls.nodeOf(encryption.engine().getSession()),
            tls.nodeOf(accepted.get()),
            counted.bytes);
    channel.close().sync();
    return handshake;
  }

  private static final class Echo extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      context.writeAndFlush(message);
    }
  }

  private static final class Answered extends ChannelInboundHandlerAdapter {
    private final CompletableFuture<Void> answered;

    Answered(CompletableFuture<Void> answered) {
      this.answered = answered;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ((ByteBuf) message).release();
      answered.complete(null);
    }
  }

  /** On one event loop; read after what it has completed. */
  private static final class Counted extends ChannelInboundHandlerAdapter {
    private volatile long bytes;

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate")
    public void channelRead(ChannelHandlerContext context, Object message) {
      bytes += ((ByteBuf) message).readableBytes();
      context.fireChannelRead(message);
    }
  }
}
