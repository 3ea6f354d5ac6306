package io.quorate.testing.example;

import io.quorate.client.QuorateClient;
import io.quorate.testing.QuorateContainers;

/** A cluster in containers for the test of an application; shown in docs/applications.md. */
public final class ContainersExample {
  private ContainersExample() {}

  /** Writes a value, kills a node, and reads the value. */
  public static String greet(String image) {
    try (QuorateContainers cluster = new QuorateContainers(image, 3)) {
      cluster.start();
      try (QuorateClient client = QuorateClient.connect(cluster.options())) {
        client.put("greeting", "hello");
        cluster.node(0).stop();
        return client.get("greeting").orElse("nothing");
      }
    }
  }
}
