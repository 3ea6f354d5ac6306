package io.quorate.benchmarks.peers.etcd;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2FrameStreamException;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import io.quorate.benchmarks.peers.contender.ClientSocket;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A connection for gRPC calls with one request and one response, without TLS, compression and
 * deadlines. Thread-safe.
 */
final class GrpcConnection implements AutoCloseable {
  /** A byte for the compression and the length of the message. */
  private static final int PREFIX_BYTES = 1 + Integer.BYTES;

  private static final int WINDOW_BYTES = 4 << 20;

  private static final AsciiString STATUS = AsciiString.cached("grpc-status");
  private static final AsciiString MESSAGE = AsciiString.cached("grpc-message");
  private static final AsciiString TE = AsciiString.cached("te");
  private static final AsciiString TRAILERS = AsciiString.cached("trailers");
  private static final AsciiString CONTENT_TYPE = AsciiString.cached("content-type");
  private static final AsciiString GRPC = AsciiString.cached("application/grpc");
  private static final AsciiString POST = AsciiString.cached("POST");
  private static final AsciiString HTTP = AsciiString.cached("http");
  private static final String OK = "0";

  private final ClientSocket socket;
  private final Calls calls;
  private final AsciiString authority;

  private GrpcConnection(ClientSocket socket, Calls calls, AsciiString authority) {
    this.socket = socket;
    this.calls = calls;
    this.authority = authority;
  }

  /** Connects. Blocks. */
  static GrpcConnection open(InetSocketAddress server) throws IOException, InterruptedException {
    Calls calls = new Calls();
    ClientSocket socket =
        ClientSocket.open(
            server,
            () ->
                List.of(
                    Http2FrameCodecBuilder.forClient()
                        .initialSettings(
                            Http2Settings.defaultSettings().initialWindowSize(WINDOW_BYTES))
                        .build(),
                    calls));
    return new GrpcConnection(
        socket, calls, AsciiString.of(server.getHostString() + ":" + server.getPort()));
  }

  /**
   * Sends a request.
   *
   * @param method as in {@code /package.Service/Method}
   * @return the message of the response; fails with an {@link IOException} if the status is not OK
   */
  CompletableFuture<byte[]> call(AsciiString method, byte[] request) {
    Call call = new Call(request);
    Http2Headers headers =
        new DefaultHttp2Headers(false)
            .method(POST)
            .scheme(HTTP)
            .path(method)
            .authority(authority)
            .add(TE, TRAILERS)
            .add(CONTENT_TYPE, GRPC);
    socket.execute(() -> calls.send(call, headers));
    return call.response;
  }

  @Override
  public void close() {
    socket.close();
  }

  /** A call in flight. */
  private static final class Call {
    private final CompletableFuture<byte[]> response = new CompletableFuture<>();
    private final byte[] request;
    private final ByteBuf received = Unpooled.buffer(0);

    Call(byte[] request) {
      this.request = request;
    }

    ByteBuf frame() {
      ByteBuf prefix = Unpooled.buffer(PREFIX_BYTES).writeByte(0).writeInt(request.length);
      return Unpooled.wrappedBuffer(prefix, Unpooled.wrappedBuffer(request));
    }

    void complete(Http2Headers trailers) {
      String status = String.valueOf(trailers.get(STATUS));
      if (!status.equals(OK)) {
        fail(new IOException("gRPC status " + status + ": " + trailers.get(MESSAGE)));
      } else if (received.readableBytes() < PREFIX_BYTES) {
        fail(new IOException("The response has no message."));
      } else {
        byte[] message = new byte[received.readableBytes() - PREFIX_BYTES];
        received.skipBytes(PREFIX_BYTES).readBytes(message);
        response.complete(message);
      }
    }

    void fail(Throwable cause) {
      response.completeExceptionally(cause);
    }
  }

  /** Matches responses to calls by their streams. On the thread of the connection. */
  private static final class Calls extends Http2ChannelDuplexHandler {
    private final Map<Http2FrameStream, Call> inFlight = new HashMap<>();
    private ChannelHandlerContext context;

    @Override
    protected void handlerAdded0(ChannelHandlerContext added) {
      context = added;
    }

    void send(Call call, Http2Headers headers) {
      if (!context.channel().isActive()) {
        call.fail(closed());
        return;
      }
      Http2FrameStream stream = newStream();
      inFlight.put(stream, call);
      context
          .write(new DefaultHttp2HeadersFrame(headers, false).stream(stream))
          .addListener((ChannelFuture written) -> failUnlessSuccessful(written, stream));
      context
          .writeAndFlush(new DefaultHttp2DataFrame(call.frame(), true).stream(stream))
          .addListener((ChannelFuture written) -> failUnlessSuccessful(written, stream));
    }

    private void failUnlessSuccessful(ChannelFuture written, Http2FrameStream stream) {
      if (!written.isSuccess()) {
        fail(stream, written.cause());
      }
    }

    @Override
    public void channelRead(ChannelHandlerContext from, Object message) {
      try {
        if (message instanceof Http2DataFrame data) {
          received(data);
        } else if (message instanceof Http2HeadersFrame headers && headers.isEndStream()) {
          Call call = inFlight.remove(headers.stream());
          if (call != null) {
            call.complete(headers.headers());
          }
        } else if (message instanceof Http2ResetFrame reset) {
          fail(reset.stream(), new IOException("The stream was reset: " + reset.errorCode()));
        }
      } finally {
        ReferenceCountUtil.release(message);
      }
    }

    private void received(Http2DataFrame data) {
      Call call = inFlight.get(data.stream());
      if (call != null) {
        call.received.writeBytes(data.content());
      }
      context.write(
          new DefaultHttp2WindowUpdateFrame(data.initialFlowControlledBytes())
              .stream(data.stream()));
    }

    @Override
    public void channelInactive(ChannelHandlerContext from) throws Exception {
      failAll(closed());
      super.channelInactive(from);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext from, Throwable cause) {
      if (cause instanceof Http2FrameStreamException ofStream) {
        fail(ofStream.stream(), cause);
      } else {
        failAll(cause);
        from.close();
      }
    }

    private static IOException closed() {
      return new IOException("The connection was closed.");
    }

    private void fail(Http2FrameStream stream, Throwable cause) {
      Call call = inFlight.remove(stream);
      if (call != null) {
        call.fail(cause);
      }
    }

    private void failAll(Throwable cause) {
      List<Call> all = List.copyOf(inFlight.values());
      inFlight.clear();
      all.forEach(call -> call.fail(cause));
    }
  }
}
