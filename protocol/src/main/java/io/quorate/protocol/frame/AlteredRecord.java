package io.quorate.protocol.frame;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import java.util.Locale;
import java.util.Optional;
import javax.net.ssl.SSLException;

/** Tells connections whose bytes were altered on their way from those of strangers. */
public final class AlteredRecord {
  /** What the other end tells of, such as of certificates that it refuses. */
  private static final String ALERT = "alert";

  /** BoringSSL tells the other end alone. */
  private static final String ALTERED_ALERT = "bad_record_mac";

  private AlteredRecord() {}

  /**
   * What TLS says of bytes that one end of a connection received and the other one did not send. On
   * the event loop.
   *
   * @param context of a handler after that of TLS
   * @param failure what ended the connection
   * @return empty if it failed for another reason, or before both ends had shaken hands
   */
  public static Optional<String> of(ChannelHandlerContext context, Throwable failure) {
    SslHandler encryption = context.pipeline().get(SslHandler.class);
    if (encryption == null
        || !encryption.handshakeFuture().isSuccess()
        || !(failure instanceof DecoderException)
        || !(failure.getCause() instanceof SSLException tls)) {
      return Optional.empty();
    }
    String said = String.valueOf(tls.getMessage());
    String lower = said.toLowerCase(Locale.ROOT);
    return lower.contains(ALERT) && !lower.contains(ALTERED_ALERT)
        ? Optional.empty()
        : Optional.of(said);
  }
}
