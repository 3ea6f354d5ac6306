package io.quorate.testing.example;

import io.quorate.client.QuorateClient;
import io.quorate.testing.QuorateContainer;

/** A database in a container for the test of an application; shown in docs/applications.md. */
public final class ContainerExample {
  private ContainerExample() {}

  /** Writes a value and reads it. */
  public static String greet(String image) {
    try (QuorateContainer node = new QuorateContainer(image)) {
      node.start();
      try (QuorateClient client = QuorateClient.connect(node.options())) {
        client.put("greeting", "hello");
        return client.get("greeting").orElse("nothing");
      }
    }
  }
}
