package io.quorate.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.QuorateClient;
import io.quorate.consensus.contract.OtherDigits;
import io.quorate.model.GroupId;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Files and messages are the same under every default locale. */
@ParameterizedClass(name = "{0}")
@MethodSource("presets")
@ExtendWith(OtherDigits.class)
class OtherDigitsTest extends CodedFixture {
  @Test
  void aRegionWithLargeValuesSplitsAndAllNodesRestart() throws IOException {
    start(3, "");
    try (QuorateClient client = client()) {
      AsyncQuorateClient async = client.async();
      putValues(async);
      GroupId child = client.splitRegion(key("k4"));
      awaitServed(client, child);
      assertValues(async);
      stop();
      for (int node = 0; node < nodes.size(); node++) {
        nodes.set(node, start(node));
      }
      assertValues(async);
      async.put(key("k5"), value(5, LARGE)).join();
      assertThat(async.get(key("k5")).join()).contains(value(5, LARGE));
    }
  }
}
