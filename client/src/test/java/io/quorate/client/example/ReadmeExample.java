package io.quorate.client.example;

import io.quorate.client.Batch;
import io.quorate.client.KeyValue;
import io.quorate.client.QuorateClient;

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
      for (KeyValue row : client.scanPrefix("user:")) {
        System.out.println(row.keyText() + " is " + row.valueText());
      }

      client.async().get("greeting").thenAccept(System.out::println).join();
    }
  }
}
