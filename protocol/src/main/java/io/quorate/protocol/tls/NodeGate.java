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
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/**
 * Lets the handlers after it know of a connection when the other end has turned out to be a node.
 * Until then nothing is sent but the handshake of TLS. Otherwise they receive a {@link
 * DecoderException}, as for what cannot be read, or an {@link IOException} if the connection has
 * broken. On the event loop.
 */
public final class NodeGate extends ChannelInboundHandlerAdapter {
  /**
   * The other end says that it refuses a certificate; with TLS 1.3 after the handshake. BoringSSL
   * says so, under Netty, of one of another authority as of an error of its own.
   */
  private static final Pattern REFUSED =
      Pattern.compile("alert.*(certificate|unknown_ca|internal_error)", Pattern.CASE_INSENSITIVE);

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

  /** Messages of the JDK about certificates are about its own classes. */
  static String reason(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateExpiredException) {
        return "its certificate has expired";
      } else if (cause instanceof CertificateNotYetValidException) {
        return "its certificate is not valid yet by the clock of this machine";
      } else if (cause.getCause() == null
          && (cause instanceof CertPathValidatorException
              || cause instanceof CertPathBuilderException)) {
        return "its certificate is of no authority in " + Tls.AUTHORITIES;
      }
    }
    return failure.getMessage();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    boolean isRefused = REFUSED.matcher(String.valueOf(cause.getMessage())).find();
    context.fireExceptionCaught(
        isRefused
            ? new DecoderException(
                "TLS: the other end refuses the certificate in "
                    + Tls.CERTIFICATE
                    + ": it has expired, or is of no authority that the other end knows",
                cause)
            : cause);
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
        throw new SSLException(reason(handshake.cause()), handshake.cause());
      }
      tls.nodeOf(encryption.engine().getSession());
      context.fireChannelActive();
    } catch (SSLException e) {
      context.fireExceptionCaught(new DecoderException("TLS: " + e.getMessage(), e));
      context.close();
    }
  }
}
