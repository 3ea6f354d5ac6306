package io.quorate.protocol.frame;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Tells a client of the database why it is not served here, and passes on what begins otherwise.
 * One for each connection, on its event loop.
 */
public final class ClientRefusal extends ByteToMessageDecoder {
  /** How long a refused client may take to read the refusal. */
  private static final long LINGER_MILLIS = 1000;

  private final String reason;
  private boolean isRefused;

  /**
   * @param reason a sentence for the client
   */
  public ClientRefusal(String reason) {
    this.reason = reason;
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (isRefused) {
      in.skipBytes(in.readableBytes());
    } else if (in.readableBytes() >= ClientGreeting.BYTES) {
      if (ClientGreeting.isBegunBy(in.getInt(in.readerIndex()))) {
        in.skipBytes(in.readableBytes());
        refuse(context);
      } else {
        context.pipeline().remove(this);
      }
    }
  }

  private void refuse(ChannelHandlerContext context) {
    isRefused = true;
    Channel channel = context.channel();
    context
        .writeAndFlush(ClientGreeting.refusal(context.alloc(), reason))
        .addListener(
            written -> {
              // Closing now, with unread bytes, might lose the refusal at the client.
              if (channel instanceof DuplexChannel duplex) {
                duplex.shutdownOutput();
              }
            });
    context.executor().schedule(() -> channel.close(), LINGER_MILLIS, TimeUnit.MILLISECONDS);
  }
}
