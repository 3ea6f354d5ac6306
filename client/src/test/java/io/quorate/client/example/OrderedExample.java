package io.quorate.client.example;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.QuorateClient;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Calls that need not be waited for to be in order; shown in docs/applications.md. */
final class OrderedExample {
  private OrderedExample() {}

  static CompletableFuture<Optional<String>> ship(QuorateClient client) {
    AsyncQuorateClient ordered = client.async().ordered();
    ordered.put("order:1", "paid");
    ordered.append("order:1", ", packed");
    ordered.append("order:1", ", shipped");
    return ordered.get("order:1");
  }
}
