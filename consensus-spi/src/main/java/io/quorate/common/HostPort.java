package io.quorate.common;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * A host and a port as text: {@code db1.example.net:7001}, {@code 10.0.0.1:7001} or {@code
 * [2001:db8::1]:7001}. Nothing here looks a name up or blocks.
 *
 * <p>A host that could not work is rejected: one that is neither an IPv4 address, an IPv6 address
 * nor a name. Names may have underscores, as those of containers do.
 *
 * @param host a name or an address; IPv6 without brackets
 * @param port 1 to 65535
 */
public record HostPort(String host, int port) {
  private static final int NAME_MAX = 253;
  private static final int PORT_MAX = 65_535;

  private static final Pattern LABEL =
      Pattern.compile("[A-Za-z0-9_]([A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?");
  private static final Pattern NUMBER = Pattern.compile("[0-9]+|0[xX][0-9A-Fa-f]*");
  private static final Pattern BYTE = Pattern.compile("0|[1-9][0-9]{0,2}");
  private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]+(%[A-Za-z0-9._-]+)?");

  /**
   * @throws IllegalArgumentException if the host or the port cannot be one; the message is a
   *     sentence
   */
  public HostPort {
    if (host.isBlank()) {
      throw new IllegalArgumentException("An address is host:port; the host is missing.");
    }
    host = requireHost(host);
    if (port < 1 || port > PORT_MAX) {
      throw new IllegalArgumentException("A port is from 1 to 65535, not " + port + ".");
    }
  }

  /**
   * Parses {@code host:port} or {@code [ipv6]:port}.
   *
   * @throws IllegalArgumentException if the text does not have that form; the message is a sentence
   */
  public static HostPort parse(String text) {
    String trimmed = text.strip();
    int colon = trimmed.lastIndexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("An address is host:port, not \"" + trimmed + "\".");
    }
    String host = trimmed.substring(0, colon);
    String port = trimmed.substring(colon + 1);
    if (isIpv6(trimmed) || isIpv6(host)) {
      // Of "fe80::1:7001", nobody can tell where the address ends.
      throw new IllegalArgumentException(
          "An IPv6 address is in brackets before its port, [::1]:7001; it was \""
              + trimmed
              + "\".");
    }
    if (port.isEmpty() || !port.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
      throw new IllegalArgumentException(
          "An address is host:port with a number as its port, not \"" + trimmed + "\".");
    }
    int number = port.length() > 5 ? PORT_MAX + 1 : Integer.parseInt(port);
    if (number < 1 || number > PORT_MAX) {
      throw new IllegalArgumentException("A port is from 1 to 65535, not " + port + ".");
    }
    return new HostPort(withoutBrackets(host), number);
  }

  /** The host and the port of an address, which need not have been looked up, as text. */
  public static String text(InetSocketAddress address) {
    return text(address.getHostString(), address.getPort());
  }

  /** The text of a host and a port; IPv6 in brackets. Checks nothing. */
  public static String text(String host, int port) {
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
  }

  /** The same, to be looked up when it is connected to. */
  public InetSocketAddress unresolved() {
    return InetSocketAddress.createUnresolved(host, port);
  }

  /**
   * A host as it is written by itself, with or without the brackets of an IPv6 address.
   *
   * @return the host without brackets
   * @throws IllegalArgumentException if it cannot be a host; the message is a sentence
   */
  public static String requireHost(String text) {
    String host = withoutBrackets(text);
    if (host.indexOf(':') >= 0 && host.indexOf('/') < 0) {
      if (!isIpv6(host)) {
        throw new IllegalArgumentException(
            "A host with colons is an IPv6 address, without a port; it was \"" + text + "\".");
      }
      return host;
    }
    if (!isIpv4(host) && !isName(host)) {
      throw new IllegalArgumentException(
          "A host is a name of ASCII letters, digits, dots, '-' and '_', or an IP address, without a"
              + " scheme or a path; it was \""
              + text
              + "\".");
    }
    return host;
  }

  /** Whether the text is an IP address, so that there is nothing to look up. */
  public static boolean isIpAddress(String host) {
    return isIpv4(host) || isIpv6(host);
  }

  private static String withoutBrackets(String host) {
    boolean isBracketed = host.startsWith("[") && host.endsWith("]") && host.indexOf(':') >= 0;
    return isBracketed ? host.substring(1, host.length() - 1) : host;
  }

  private static boolean isIpv4(String host) {
    String[] parts = host.split("\\.", -1);
    if (parts.length != 4) {
      return false;
    }
    for (String part : parts) {
      if (!BYTE.matcher(part).matches() || Integer.parseInt(part) > 255) {
        return false;
      }
    }
    return true;
  }

  private static boolean isIpv6(String host) {
    if (host.indexOf(':') < 0 || !IPV6.matcher(host).matches()) {
      return false;
    }
    int zone = host.indexOf('%');
    try {
      // A text with these characters alone, and a colon, is never looked up.
      InetAddress.getByName(zone < 0 ? host : host.substring(0, zone));
      return true;
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** The last label of a name is no number, which some libraries would take for an address. */
  private static boolean isName(String host) {
    String name = host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    String[] labels = name.split("\\.", -1);
    for (String label : labels) {
      if (!LABEL.matcher(label).matches()) {
        return false;
      }
    }
    return name.length() <= NAME_MAX && !NUMBER.matcher(labels[labels.length - 1]).matches();
  }

  @Override
  public String toString() {
    return text(host, port);
  }
}
