package io.quorate.benchmarks.peers.redis;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.redis.ArrayRedisMessage;
import io.netty.handler.codec.redis.ErrorRedisMessage;
import io.netty.handler.codec.redis.FullBulkStringRedisMessage;
import io.netty.handler.codec.redis.RedisBulkStringAggregator;
import io.netty.handler.codec.redis.RedisDecoder;
import io.netty.handler.codec.redis.RedisEncoder;
import io.netty.handler.codec.redis.RedisMessage;
import io.netty.util.ReferenceCountUtil;
import io.quorate.benchmarks.peers.contender.ClientSocket;
import io.quorate.benchmarks.peers.contender.PeerConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A connection to Redis with many commands in flight. Thread-safe. */
final class RedisConnection extends PeerConnection {
  private static final byte[] SET = "SET".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] GET = "GET".getBytes(StandardCharsets.US_ASCII);

  private final ClientSocket socket;
  private final Commands commands;

  private RedisConnection(ClientSocket socket, Commands commands) {
    this.socket = socket;
    this.commands = commands;
  }

  /** Connects. Blocks. */
  static RedisConnection open(InetSocketAddress server) throws IOException, InterruptedException {
    Commands commands = new Commands();
    return new RedisConnection(
        ClientSocket.open(
            server,
            () ->
                List.of(
                    new RedisDecoder(),
                    new RedisEncoder(),
                    new RedisBulkStringAggregator(),
                    commands)),
        commands);
  }

  @Override
  public CompletionStage<?> put(byte[] key, byte[] value) {
    return send(SET, key, value);
  }

  @Override
  public CompletionStage<Optional<byte[]>> get(byte[] key) {
    return send(GET, key);
  }

  private CompletableFuture<Optional<byte[]>> send(byte[]... words) {
    CompletableFuture<Optional<byte[]>> reply = new CompletableFuture<>();
    socket.execute(() -> commands.send(reply, words));
    return reply;
  }

  @Override
  public void close() {
    socket.close();
  }

  /** Matches replies to commands, which have the same order. On the thread of the connection. */
  private static final class Commands extends ChannelInboundHandlerAdapter {
    private final Deque<CompletableFuture<Optional<byte[]>>> inFlight = new ArrayDeque<>();
    private ChannelHandlerContext context;

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
      context = added;
    }

    void send(CompletableFuture<Optional<byte[]>> reply, byte[]... words) {
      if (!context.channel().isActive()) {
        reply.completeExceptionally(new IOException("The connection to Redis is closed."));
        return;
      }
      inFlight.add(reply);
      List<RedisMessage> strings =
          List.of(words).stream()
              .<RedisMessage>map(
                  word -> new FullBulkStringRedisMessage(Unpooled.wrappedBuffer(word)))
              .toList();
      context.writeAndFlush(new ArrayRedisMessage(strings), context.voidPromise());
    }

    @Override
    public void channelRead(ChannelHandlerContext from, Object message) {
      try {
        CompletableFuture<Optional<byte[]>> reply = inFlight.remove();
        if (message instanceof ErrorRedisMessage error) {
          reply.completeExceptionally(new IOException("Redis refused: " + error.content()));
        } else if (message instanceof FullBulkStringRedisMessage value && !value.isNull()) {
          reply.complete(Optional.of(ByteBufUtil.getBytes(value.content())));
        } else {
          reply.complete(Optional.empty());
        }
      } finally {
        ReferenceCountUtil.release(message);
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext from) {
      failAll(new IOException("The connection to Redis was closed."));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext from, Throwable cause) {
      failAll(cause);
      from.close();
    }

    private void failAll(Throwable cause) {
      while (!inFlight.isEmpty()) {
        inFlight.remove().completeExceptionally(cause);
      }
    }
  }
}
