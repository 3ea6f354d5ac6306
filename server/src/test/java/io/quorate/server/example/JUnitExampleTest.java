package io.quorate.server.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.QuorateClient;
import io.quorate.client.testing.QuorateTest;
import org.junit.jupiter.api.Test;

/** A database for the tests of one class; shown in README.md. */
@QuorateTest(nodes = 3)
class JUnitExampleTest {
  @Test
  void aGreetingIsKept(QuorateClient client) {
    client.put("greeting", "hello");
    assertThat(client.get("greeting")).contains("hello");
  }
}
