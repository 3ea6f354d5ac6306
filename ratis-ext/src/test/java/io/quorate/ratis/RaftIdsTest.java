package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.ratis.protocol.RaftPeer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RaftIdsTest {
  @ParameterizedTest
  @CsvSource({
    "db1.example.net, db1.example.net:7101",
    "project_db_1, project_db_1:7101",
    "10.0.0.1, 10.0.0.1:7101",
    "::1, [::1]:7101",
    "2001:db8::1, [2001:db8::1]:7101"
  })
  void aMemberIsTheSameAfterRatisHadIt(String host, String text) {
    Member member = new Member(new NodeId("n1"), InetSocketAddress.createUnresolved(host, 7101));
    RaftPeer peer = RaftIds.peers(List.of(member)).get(0);
    assertThat(peer.getAddress()).isEqualTo(text);
    assertThat(RaftIds.member(peer)).isEqualTo(member);
    assertThat(RaftIds.member(peer).address().isUnresolved()).as("not looked up").isTrue();
  }
}
