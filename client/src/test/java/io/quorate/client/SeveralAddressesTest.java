package io.quorate.client;

import static io.quorate.client.ClientFixture.bytes;
import static io.quorate.client.ClientFixture.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.fake.FakeCluster;
import io.quorate.client.internal.AsyncClient;
import io.quorate.protocol.connect.AddressRace;
import java.net.InetAddress;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Timeout;

/** The host of the only seed has several addresses, as a service in front of all nodes. */
@Timeout(60)
class SeveralAddressesTest {
  private static final String LIVE = "127.0.0.1";
  private static final String OTHER = "127.0.0.2";
  private static final AddressRace.Lookup NAMES =
      host -> new InetAddress[] {InetAddress.getByName(OTHER), InetAddress.getByName(LIVE)};

  private static AsyncQuorateClient client(int port) {
    return AsyncClient.open(
        ClientOptions.builder("service:" + port)
            .deadline(Duration.ofSeconds(20))
            .attemptTimeout(Duration.ofSeconds(5))
            .build(),
        NAMES);
  }

  @RepeatedTest(4)
  void aSeedIsFoundAtWhicheverAddressANodeIs() {
    try (FakeCluster cluster = FakeCluster.start(1);
        AsyncQuorateClient client = client(cluster.node(1).port())) {
      client.put(bytes("k"), bytes("v")).join();
      assertThat(text(client.get(bytes("k")).join())).contains("v");
    }
  }

  /** Such as a node that waits to be added to the cluster. */
  @RepeatedTest(4)
  void aNodeWithoutATopologyIsLeftForAnotherAddress() {
    try (FakeCluster cluster = FakeCluster.start(1);
        FakeCluster waiting = FakeCluster.startAt(OTHER, cluster.node(1).port()).withoutTopology();
        AsyncQuorateClient client = client(cluster.node(1).port())) {
      client.put(bytes("k"), bytes("v")).join();
      assertThat(text(client.get(bytes("k")).join())).contains("v");
      assertThat(waiting.nodes()).hasSize(1);
    }
  }
}
