package io.quorate.server.rpc.request;

import io.quorate.common.LogLimit;
import java.net.SocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lines about connections that clients cause, each kind with a limit of its own. Any thread.
 */
public final class RpcLog {
  private static final Logger LOG = LoggerFactory.getLogger(RpcLog.class);

  private final LogLimit closing = new LogLimit();
  private final LogLimit altered = new LogLimit();
  private final LogLimit stalled = new LogLimit();
  private final LogLimit failed = new LogLimit();

  /** A bound that the machine does not allow. */
  public void warn(String problem) {
    LOG.warn("{}", problem);
  }

  /** A client violates the protocol or a timeout. */
  public void closing(SocketAddress client, String reason) {
    closing.log(
        leftOut ->
            LOG.atInfo()
                .addKeyValue("client", client)
                .addKeyValue("reason", reason)
                .log("Closing a connection{}", LogLimit.text(leftOut)));
  }

  /** A frame of a client does not match its checksum. */
  public void altered(SocketAddress client, String reason) {
    altered.log(
        leftOut ->
            LOG.atWarn()
                .addKeyValue("client", client)
                .addKeyValue("reason", reason)
                .log("Closing a connection with altered bytes{}", LogLimit.text(leftOut)));
  }

  public void stalled(SocketAddress client) {
    stalled.log(
        leftOut ->
            LOG.atInfo()
                .addKeyValue("client", client)
                .log(
                    "Closing a connection whose responses are not read (rpc.stall-timeout){}",
                    LogLimit.text(leftOut)));
  }

  public void failed(Throwable cause) {
    failed.log(
        leftOut ->
            LOG.atError()
                .setCause(cause)
                .log("A connection failed unexpectedly{}", LogLimit.text(leftOut)));
  }
}
