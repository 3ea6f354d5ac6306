package io.quorate.benchmarks.peers.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Against a server that echoes each message, fails, or closes, depending on the method. */
@Timeout(30)
class GrpcConnectionTest {
  private static final AsciiString ECHO = AsciiString.of("/test/Echo");
  private static final AsciiString FAIL = AsciiString.of("/test/Fail");
  private static final AsciiString CLOSE = AsciiString.of("/test/Close");

  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private Channel listener;
  private GrpcConnection connection;

  private static final class Server extends Http2ChannelDuplexHandler {
    private final Map<Http2FrameStream, String> methods = new HashMap<>();
    private final Map<Http2FrameStream, ByteBuf> requests = new HashMap<>();

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof Http2HeadersFrame headers) {
        methods.put(headers.stream(), headers.headers().path().toString());
        requests.put(headers.stream(), Unpooled.buffer());
      } else if (message instanceof Http2DataFrame data) {
        requests.get(data.stream()).writeBytes(data.content());
        context.write(
            new DefaultHttp2WindowUpdateFrame(data.initialFlowControlledBytes())
                .stream(data.stream()));
        if (data.isEndStream()) {
          respond(context, data.stream());
        }
      }
      ReferenceCountUtil.release(message);
    }

    private void respond(ChannelHandlerContext context, Http2FrameStream stream) {
      Http2Headers begin = new DefaultHttp2Headers().status("200");
      ByteBuf request = requests.remove(stream);
      switch (methods.remove(stream)) {
        case "/test/Echo" -> {
          context.write(new DefaultHttp2HeadersFrame(begin, false).stream(stream));
          context.write(new DefaultHttp2DataFrame(request, false).stream(stream));
          context.writeAndFlush(
              new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().add("grpc-status", "0"), true)
                  .stream(stream));
        }
        case "/test/Fail" ->
            context.writeAndFlush(
                new DefaultHttp2HeadersFrame(
                        begin.add("grpc-status", "14").add("grpc-message", "no leader"), true)
                    .stream(stream));
        // From the socket on, because the codec would wait for the end of the call.
        default -> context.pipeline().firstContext().close();
      }
    }
  }

  @BeforeEach
  void connect() throws Exception {
    listener =
        new ServerBootstrap()
            .group(loop)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(Http2FrameCodecBuilder.forServer().build(), new Server());
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .sync()
            .channel();
    connection = GrpcConnection.open((InetSocketAddress) listener.localAddress());
  }

  @AfterEach
  void close() {
    connection.close();
    listener.close();
    loop.shutdownGracefully(0, 2, TimeUnit.SECONDS);
  }

  @Test
  void manyCallsOfManyLengthsAreInFlight() throws Exception {
    List<byte[]> messages =
        IntStream.range(0, 100)
            .mapToObj(
                i -> {
                  byte[] message = new byte[i % 5 == 0 ? 70_000 : i];
                  new Random(i).nextBytes(message);
                  return message;
                })
            .toList();

    List<CompletableFuture<byte[]>> responses =
        messages.stream().map(message -> connection.call(ECHO, message)).toList();

    for (int i = 0; i < messages.size(); i++) {
      byte[] response = responses.get(i).get(10, TimeUnit.SECONDS);
      assertThat(Arrays.equals(response, messages.get(i))).as("message " + i).isTrue();
    }
  }

  @Test
  void aStatusOtherThanOkFailsTheCallOnly() throws Exception {
    CompletableFuture<byte[]> failed = connection.call(FAIL, new byte[] {1});
    CompletableFuture<byte[]> other = connection.call(ECHO, new byte[] {2});

    assertThatThrownBy(() -> failed.get(10, TimeUnit.SECONDS))
        .hasMessageContaining("gRPC status 14: no leader");
    assertThat(other.get(10, TimeUnit.SECONDS)).containsExactly(2);
  }

  @Test
  void aClosedConnectionFailsCallsInFlightAndLaterOnes() {
    CompletableFuture<byte[]> failed = connection.call(CLOSE, new byte[] {1});

    assertThatThrownBy(() -> failed.get(10, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasMessageContaining("The connection was closed.");
    assertThatThrownBy(() -> connection.call(ECHO, new byte[] {1}).get(10, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class);
  }
}
