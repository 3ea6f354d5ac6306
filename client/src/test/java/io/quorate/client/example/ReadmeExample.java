package io.quorate.client.example;

import io.quorate.client.Batch;
import io.quorate.client.KeyValue;
import io.quorate.client.QuorateClient;
import java.nio.charset.StandardCharsets;

/** The client in twenty lines. */
public final class ReadmeExample {
  private ReadmeExample() {}

  public static void main(String[] args) {
    String nodes = args.length > 0 ? args[0] : "127.0.0.1:7001,127.0.0.1:7002,127.0.0.1:7003";
    try (QuorateClient client = QuorateClient.connect(nodes)) {
      client.put("greeting", "hello");
      System.out.println(client.get("greeting").orElse("nothing"));

      long visits = client.incrementAndGet("visits", 1);
      System.out.println("visit " + visits);

      client.batch(new Batch().put("user:1", "ada").put("user:2", "grace").delete("user:3"));
      for (KeyValue row : client.scan(utf8("user:"), utf8("user;"))) {
        System.out.println(row.keyText() + " is " + row.valueText());
      }

      client
          .async()
          .get(utf8("greeting"))
          .thenAccept(value -> System.out.println(value.isPresent()))
          .join();
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
