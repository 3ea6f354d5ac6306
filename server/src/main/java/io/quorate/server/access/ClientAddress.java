package io.quorate.server.access;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/** Which connections count as those of one client, where each client may have so much. Pure. */
public final class ClientAddress {
  private static final int IPV6_BYTES = 16;
  private static final int NETWORK_BYTES = 8;

  private ClientAddress() {}

  /**
   * What counts as one address: under IPv6 a network, in which a machine has any number of them.
   */
  public static String share(SocketAddress remote) {
    return remote instanceof InetSocketAddress inet && inet.getAddress() != null
        ? share(inet.getAddress())
        : "an unknown address";
  }

  private static String share(InetAddress address) {
    if (!(address instanceof Inet6Address) || address.isLoopbackAddress()) {
      return address.getHostAddress();
    }
    byte[] network = Arrays.copyOf(Arrays.copyOf(address.getAddress(), NETWORK_BYTES), IPV6_BYTES);
    try {
      return InetAddress.getByAddress(network).getHostAddress() + "/" + NETWORK_BYTES * Byte.SIZE;
    } catch (UnknownHostException e) {
      throw new IllegalStateException("An address of IPv6 has another length", e);
    }
  }
}
