package io.quorate.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.fake.FakeCluster;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AddressMappingTest {
  private static final String SEED = "192.0.2.1:7001";

  @Test
  void seedsAndNodesOfTheTopologyAreReachedWhereTheyAreMappedTo() {
    Set<NodeAddress> asked = ConcurrentHashMap.newKeySet();
    try (FakeCluster cluster = FakeCluster.start(3)) {
      NodeAddress reached = new NodeAddress("127.0.0.1", cluster.node(1).port());
      ClientOptions options =
          ClientOptions.builder(SEED)
              .addressMapping(
                  address -> {
                    asked.add(address);
                    return address.host().equals("192.0.2.1") ? reached : address;
                  })
              .build();
      try (QuorateClient client = QuorateClient.connect(options)) {
        client.put("key", "value");
        assertThat(client.get("key")).contains("value");
      }
      assertThat(asked).contains(NodeAddress.parse(SEED)).hasSizeGreaterThan(1);
    }
  }

  @Test
  void aMappingThatThrowsIsNamed() {
    ClientOptions options =
        ClientOptions.builder(SEED)
            .deadline(Duration.ofSeconds(1))
            .addressMapping(
                address -> {
                  throw new IllegalArgumentException("unmapped");
                })
            .build();
    assertThatThrownBy(() -> QuorateClient.connect(options))
        .isInstanceOf(UnavailableException.class)
        .hasMessageContaining("address mapping");
  }

  @Test
  void someOptionsAreChangedAndTheOthersStay() {
    ClientOptions options =
        ClientOptions.builder(SEED).clientName("orders").deadline(Duration.ofSeconds(3)).build();
    ClientOptions changed = options.toBuilder().deadline(Duration.ofSeconds(1)).build();
    assertThat(changed.deadline()).isEqualTo(Duration.ofSeconds(1));
    assertThat(changed.clientName()).isEqualTo("orders");
    assertThat(changed.seeds()).isEqualTo(options.seeds());
  }
}
