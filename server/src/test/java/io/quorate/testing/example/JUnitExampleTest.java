package io.quorate.testing.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.QuorateClient;
import io.quorate.testing.QuorateTest;
import org.junit.jupiter.api.Test;

/** A database for the tests of one class; shown in docs/applications.md. */
@QuorateTest(nodes = 3)
class JUnitExampleTest {
  @Test
  void aGreetingIsKept(QuorateClient client) {
    client.put("greeting", "hello");
    assertThat(client.get("greeting")).contains("hello");
  }
}
