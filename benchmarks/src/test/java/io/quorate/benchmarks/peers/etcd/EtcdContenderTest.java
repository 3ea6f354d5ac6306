package io.quorate.benchmarks.peers.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.peers.etcd.EtcdContender.Ports;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

class EtcdContenderTest {
  @Test
  void aMemberKnowsAllMembers() {
    List<Ports> ports = List.of(new Ports(11, 12), new Ports(21, 22), new Ports(31, 32));

    assertThat(EtcdContender.command(Path.of("etcd"), ports, 1))
        .startsWith("etcd", "--name=m2")
        .contains(
            "--listen-client-urls=http://127.0.0.1:21",
            "--listen-peer-urls=http://127.0.0.1:22",
            "--initial-cluster=m1=http://127.0.0.1:12,m2=http://127.0.0.1:22,m3=http://127.0.0.1:32")
        .noneMatch(argument -> argument.contains("no-fsync"));
  }

  @Test
  void theModuleRunsTheServerOfOneVersion() {
    assertThat(EtcdContender.project().files().get("main.go"))
        .contains("\"go.etcd.io/etcd/server/v3/etcdmain\"", "etcdmain.Main(os.Args)");
    assertThat(EtcdContender.project().commands().get(0))
        .contains("go.etcd.io/etcd/server/v3/etcdmain@" + EtcdContender.VERSION);
  }

  @Test
  void requestsHaveTheFieldsOfTheProtocol() {
    byte[] key = {1, 2};
    byte[] value = {3, 4, 5};

    assertThat(HexFormat.of().formatHex(EtcdMessages.put(key, value)))
        .isEqualTo("0a020102" + "1203030405");
    assertThat(HexFormat.of().formatHex(EtcdMessages.get(key))).isEqualTo("0a020102");
  }

  @Test
  void theValueIsFoundAmongOtherFields() {
    // A header; one row with key, revisions, version and value; the count.
    byte[] response =
        HexFormat.of()
            .parseHex(
                "0a020801"
                    + "120f"
                    + "0a020102"
                    + "1005"
                    + "1806"
                    + "2001"
                    + "2a03030405"
                    + "2001");

    assertThat(EtcdMessages.value(response))
        .hasValueSatisfying(value -> assertThat(value).containsExactly(3, 4, 5));
  }

  @Test
  void anEmptyValueIsDistinguishedFromNone() {
    assertThat(EtcdMessages.value(HexFormat.of().parseHex("0a020801" + "12040a020102" + "2001")))
        .hasValueSatisfying(value -> assertThat(value).isEmpty());
    assertThat(EtcdMessages.value(HexFormat.of().parseHex("0a020801"))).isEmpty();
    assertThat(EtcdMessages.value(new byte[0])).isEmpty();
  }
}
