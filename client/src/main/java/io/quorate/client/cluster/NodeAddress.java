package io.quorate.client.cluster;

import io.quorate.common.HostPort;
import io.quorate.common.Nulls;
import java.util.Arrays;
import java.util.List;

/**
 * The address at which a node accepts clients.
 *
 * @param host a host name or an IP address; IPv6 without brackets
 * @param port 1 to 65535
 */
public record NodeAddress(String host, int port) {
  /**
   * @throws IllegalArgumentException if it cannot be an address
   */
  public NodeAddress {
    host = new HostPort(Nulls.refuse(host, "host"), port).host();
  }

  /**
   * Parses {@code host:port} or {@code [ipv6]:port}.
   *
   * @throws IllegalArgumentException if the text does not have that form
   */
  public static NodeAddress parse(String text) {
    HostPort parsed = HostPort.parse(Nulls.refuse(text, "text"));
    return new NodeAddress(parsed.host(), parsed.port());
  }

  /**
   * Parses one or more addresses, separated by commas.
   *
   * @throws IllegalArgumentException if one of them is not an address
   */
  public static List<NodeAddress> parseList(String text) {
    return Arrays.stream(Nulls.refuse(text, "text").split(",", -1))
        .map(NodeAddress::parse)
        .distinct()
        .toList();
  }

  @Override
  public String toString() {
    return HostPort.text(host, port);
  }
}
