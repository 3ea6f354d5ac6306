package io.quorate.client;

import java.util.Arrays;
import java.util.List;

/**
 * The address at which a node accepts clients.
 *
 * @param host a host name or an IP address; IPv6 without brackets
 * @param port 1 to 65535
 */
public record NodeAddress(String host, int port) {
  public NodeAddress {
    if (host.isBlank()) {
      throw new IllegalArgumentException("An address is host:port; the host is missing.");
    }
    if (host.indexOf('/') >= 0 || host.chars().anyMatch(Character::isWhitespace)) {
      throw new IllegalArgumentException(
          "An address is host:port, without a scheme, a path or blanks; the host is not \""
              + host
              + "\".");
    }
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("A port is from 1 to 65535, not " + port + ".");
    }
  }

  /**
   * Parses {@code host:port} or {@code [ipv6]:port}.
   *
   * @throws IllegalArgumentException if the text does not have that form
   */
  public static NodeAddress parse(String text) {
    String trimmed = text.strip();
    int colon = trimmed.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("An address is host:port, not \"" + trimmed + "\".");
    }
    String host = trimmed.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    try {
      return new NodeAddress(host, Integer.parseInt(trimmed.substring(colon + 1)));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "An address is host:port with a number as its port, not \"" + trimmed + "\".", e);
    }
  }

  /**
   * Parses one or more addresses, separated by commas.
   *
   * @throws IllegalArgumentException if one of them is not an address
   */
  public static List<NodeAddress> parseList(String text) {
    return Arrays.stream(text.split(",", -1)).map(NodeAddress::parse).distinct().toList();
  }

  @Override
  public String toString() {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }
}
