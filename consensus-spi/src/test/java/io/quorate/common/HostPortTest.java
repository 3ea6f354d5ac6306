package io.quorate.common;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
  @ParameterizedTest
  @CsvSource({
    "db1.example.net:7001, db1.example.net, 7001",
    "db1.example.net.:7001, db1.example.net., 7001",
    "project_db_1:7001, project_db_1, 7001",
    "_db:1, _db, 1",
    "a:65535, a, 65535",
    "10.0.0.1:7001, 10.0.0.1, 7001",
    "1.db:7001, 1.db, 7001",
    "[::1]:7001, ::1, 7001",
    "[2001:db8::a]:7001, 2001:db8::a, 7001",
    "[::ffff:10.0.0.1]:7001, ::ffff:10.0.0.1, 7001",
    "[fe80::1%eth0]:7001, fe80::1%eth0, 7001",
  })
  void aTextIsReadAndWritten(String text, String host, int port) {
    HostPort read = HostPort.parse(" " + text + " ");
    assertThat(read).isEqualTo(new HostPort(host, port));
    assertThat(read).hasToString(text);
    assertThat(HostPort.parse(read.toString())).isEqualTo(read);
    assertThat(read.unresolved().isUnresolved()).isTrue();
    assertThat(HostPort.text(read.unresolved())).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "db1",
        ":7001",
        "db1:",
        "db1:x",
        "db1:0",
        "db1:65536",
        "db1:99999999999",
        "db1:-1",
        "::1",
        "::1:7001",
        "2001:db8::1:7001",
        "[::1]",
        "[::g]:7001",
        "[db1]:7001",
        "db1:7001:7002",
        "http://db1:7001",
        "user@db1:7001",
        "a b:7001",
        "a,b:7001",
        "-a:7001",
        "a..b:7001",
        "b\u00fccher:7001",
        "300.1.1.1:7001",
        "10.1:7001",
        "010.0.0.1:7001",
        "db.0x7f:7001",
      })
  void whatCannotWorkIsRejectedByASentence(String text) {
    assertThatThrownBy(() -> HostPort.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .endsWith(".")
        .doesNotContain("\n");
  }

  @Test
  void aHostByItselfMayHaveTheBracketsOfItsAddress() {
    assertThat(HostPort.requireHost("[::1]")).isEqualTo("::1");
    assertThat(HostPort.requireHost("::")).isEqualTo("::");
    assertThat(HostPort.requireHost("a_b")).isEqualTo("a_b");
    assertThatThrownBy(() -> HostPort.requireHost("a:7001"))
        .hasMessage("A host with colons is an IPv6 address, without a port; it was \"a:7001\".");
    assertThatThrownBy(() -> HostPort.requireHost("")).isInstanceOf(RuntimeException.class);
  }

  @Test
  void theTextOfALookedUpAddressIsThatOfItsHost() {
    assertThat(HostPort.text(new InetSocketAddress("127.0.0.1", 7001))).isEqualTo("127.0.0.1:7001");
    assertThat(HostPort.text(new InetSocketAddress("::1", 7001)))
        .isEqualTo("[0:0:0:0:0:0:0:1]:7001");
    assertThat(HostPort.isIpAddress("::1")).isTrue();
    assertThat(HostPort.isIpAddress("10.0.0.1")).isTrue();
    assertThat(HostPort.isIpAddress("a_b")).isFalse();
  }
}
