package com.example.visits;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.quorate.client.QuorateClient;
import io.quorate.testing.EmbeddedCluster;
import io.quorate.testing.QuorateTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

@QuorateTest(nodes = 3)
class VisitsTest {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  @Test
  void everyVisitCounts(QuorateClient client) {
    Visits visits = new Visits(client, DEADLINE);
    visits.count("home");
    visits.count("home");
    assertEquals(2, visits.of("home"));
    assertEquals(0, visits.of("about"));
  }

  @Test
  void visitsAreCountedWhileANodeIsDown(QuorateClient client, EmbeddedCluster cluster) {
    Visits visits = new Visits(client, DEADLINE);
    cluster.stopNode(0);
    visits.count("away");
    assertEquals(1, visits.of("away"));
    cluster.startNode(0);
  }
}
