package io.quorate.server.admin;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.quorate.model.NodeId;
import io.quorate.protocol.frame.ClientGreeting;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Tells a client of the database that this is not its port, and passes on what begins as HTTP. One
 * for each connection, on its event loop.
 */
final class ClientRefusal extends ByteToMessageDecoder {
  /** How long a refused client may take to read the refusal. */
  private static final long LINGER_MILLIS = 1000;

  private final NodeId self;
  private boolean isRefused;

  ClientRefusal(NodeId self) {
    this.self = self;
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
        .writeAndFlush(
            ClientGreeting.refusal(
                context.alloc(),
                "This is the admin port of node "
                    + self
                    + ", for HTTP; clients use the client port of a node."))
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
