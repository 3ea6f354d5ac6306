package io.quorate.testing.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.QuorateClient;
import io.quorate.testing.EmbeddedCluster;
import org.junit.jupiter.api.Test;

/** A database for one test of an application; shown in docs/applications.md. */
class TestingExampleTest {
  @Test
  void anEmbeddedCluster() {
    try (EmbeddedCluster cluster = EmbeddedCluster.start(3);
        QuorateClient client = QuorateClient.connect(cluster.options())) {
      client.put("greeting", "hello");
      assertThat(client.get("greeting")).contains("hello");
    }
  }
}
