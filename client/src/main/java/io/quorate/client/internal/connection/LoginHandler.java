package io.quorate.client.internal.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.util.ReferenceCountUtil;
import io.quorate.common.DecodeException;
import io.quorate.protocol.access.ScramClient;
import io.quorate.protocol.wire.Frames;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Authenticate;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Authenticates a connection by name and secret, before the handlers after it learn that it is
 * active. They receive a refusal as the response to a greeting. On the event loop.
 */
final class LoginHandler extends ChannelInboundHandlerAdapter {
  private static final long CORRELATION = 1;

  private final ScramClient client;
  private final Executor computing;
  private boolean isLast;

  /**
   * @param computing runs what takes processor time
   */
  LoginHandler(ScramClient client, Executor computing) {
    this.client = client;
    this.computing = computing;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    send(context, client.first());
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws IOException {
    ByteBuf frame = (ByteBuf) message;
    if (frame.getUnsignedByte(frame.readerIndex() + Long.BYTES) != Status.OK.code()) {
      context.fireChannelRead(frame);
      return;
    }
    try {
      frame.skipBytes(Frames.HEADER_BYTES);
      respond(context, Authenticate.parseFrom(new ByteBufInputStream(frame)).getMessage());
    } finally {
      ReferenceCountUtil.release(frame);
    }
  }

  private void respond(ChannelHandlerContext context, String received) {
    if (!isLast) {
      isLast = true;
      CompletableFuture.supplyAsync(() -> client.last(received), computing)
          .whenCompleteAsync(
              (proof, failure) -> {
                if (failure == null) {
                  send(context, proof);
                } else {
                  context.fireExceptionCaught(new DecoderException(failure.getCause()));
                }
              },
              context.executor());
    } else if (client.isProved(received)) {
      context.pipeline().remove(this);
      context.fireChannelActive();
    } else {
      throw new DecodeException("the node does not know the secret of the user");
    }
  }

  private static void send(ChannelHandlerContext context, String message) {
    byte[] body = Authenticate.newBuilder().setMessage(message).build().toByteArray();
    context.writeAndFlush(
        Frames.of(context.alloc(), CORRELATION, Opcode.AUTHENTICATE.code(), body));
  }
}
