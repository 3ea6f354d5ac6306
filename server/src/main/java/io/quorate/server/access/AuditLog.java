package io.quorate.server.access;

import io.quorate.common.LogLimit;
import io.quorate.server.cli.format.JsonText;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One JSON object a line for each request that changes or checks the cluster, and for each that is
 * denied: the logger {@value #NAME}, which a logging configuration may write to a file of its own.
 * Lines have names of nodes, users, roles and regions, and neither keys nor secrets. Any thread;
 * does not wait for the output.
 */
public final class AuditLog {
  public static final String NAME = "io.quorate.audit";

  private static final Logger LOG = LoggerFactory.getLogger(NAME);

  /** Who is denied may repeat it without an end; strangers do not hide what users try. */
  private static final LogLimit OF_STRANGERS = new LogLimit();

  private static final LogLimit OF_USERS = new LogLimit();

  private AuditLog() {}

  /** A request that was denied. */
  public static void denied(Principal who, SocketAddress from, String what) {
    LogLimit limit = who == Principal.NOBODY ? OF_STRANGERS : OF_USERS;
    limit.log(
        leftOut -> {
          Map<String, Object> line = line(who, from, what, "denied");
          if (leftOut > 0) {
            line.put("leftOut", leftOut);
          }
          LOG.info(JsonText.line(line));
        });
  }

  /** A request of an operator. */
  public static void administered(Principal who, SocketAddress from, String what, String outcome) {
    LOG.info(JsonText.line(line(who, from, what, outcome)));
  }

  private static Map<String, Object> line(
      Principal who, SocketAddress from, String what, String outcome) {
    Map<String, Object> line = new LinkedHashMap<>();
    line.put("who", who.toString());
    line.put("from", address(from));
    line.put("what", what);
    line.put("outcome", outcome);
    return line;
  }

  /** Where a connection comes from, without the port. */
  public static String address(SocketAddress from) {
    return from instanceof InetSocketAddress address && !address.isUnresolved()
        ? address.getAddress().getHostAddress()
        : String.valueOf(from);
  }
}
