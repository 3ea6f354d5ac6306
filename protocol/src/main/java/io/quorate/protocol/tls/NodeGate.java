package io.quorate.protocol.tls;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.io.IOException;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLException;

/**
 * Lets the handlers after it know of a connection when the other end has turned out to be a node.
 * Until then nothing is sent but the handshake of TLS. Otherwise they receive a {@link
 * DecoderException}, as for what cannot be read, or an {@link IOException} if the connection has
 * broken. On the event loop.
 */
public final class NodeGate extends ChannelInboundHandlerAdapter {
  private final Tls tls;
  private final SslHandler encryption;

  private NodeGate(Tls tls, SslHandler encryption) {
    this.tls = tls;
    this.encryption = encryption;
  }

  /** Adds the handlers of a connection that was opened to a node; its other handlers follow. */
  public static void install(ChannelPipeline pipeline, Tls tls, InetSocketAddress to) {
    SslHandler encryption = new SslHandler(tls.dialing(to));
    pipeline.addLast(encryption, new NodeGate(tls, encryption));
  }

  /** Whether the other end is gone, as a node that is stopped: another attempt may succeed. */
  private static boolean isBroken(SslHandshakeCompletionEvent handshake) {
    return !handshake.isSuccess()
        && (!(handshake.cause() instanceof SSLException)
            || handshake.cause() instanceof SslHandshakeTimeoutException);
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    // Passed on after the handshake.
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext context, Object event) {
    if (!(event instanceof SslHandshakeCompletionEvent handshake)) {
      context.fireUserEventTriggered(event);
      return;
    }
    if (isBroken(handshake)) {
      context.fireExceptionCaught(
          new IOException("the connection was closed before both ends knew each other"));
      context.close();
      return;
    }
    try {
      if (!handshake.isSuccess()) {
        throw new SSLException(handshake.cause().getMessage(), handshake.cause());
      }
      tls.nodeOf(encryption.engine().getSession());
      context.fireChannelActive();
    } catch (SSLException e) {
      context.fireExceptionCaught(new DecoderException("TLS: " + e.getMessage(), e));
      context.close();
    }
  }
}
