package io.quorate.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.junit.jupiter.api.Test;

class FailedLoginsTest {
  private final FailedLogins failures = new FailedLogins(() -> 0);

  private static SocketAddress at(String address) {
    return new InetSocketAddress(address, 1);
  }

  /** A machine with IPv6 has a network of addresses. */
  @Test
  void aNetworkOfIpv6CountsAsOneAddress() {
    assertThat(ClientAddress.share(at("2001:db8:1:2:3:4:5:6")))
        .isEqualTo(ClientAddress.share(at("2001:db8:1:2:ffff::1")))
        .isEqualTo("2001:db8:1:2:0:0:0:0/64")
        .isNotEqualTo(ClientAddress.share(at("2001:db8:1:3:3:4:5:6")));
    assertThat(ClientAddress.share(at("10.0.0.1"))).isEqualTo("10.0.0.1");
    assertThat(ClientAddress.share(at("::1"))).endsWith(":1");
    for (int i = 0; i < FailedLogins.OF_USER_MAX; i++) {
      failures.failed(at("2001:db8:1:2::" + i), "al");
    }
    assertThat(failures.admits(at("2001:db8:1:2:ffff::1"), "al")).isFalse();
    assertThat(failures.admits(at("2001:db8:1:2:ffff::1"), "bo")).isTrue();
    assertThat(failures.admits(at("2001:db8:1:3::1"), "al")).isTrue();
  }
}
