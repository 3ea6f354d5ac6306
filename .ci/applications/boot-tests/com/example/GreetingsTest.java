package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.quorate.client.Batch;
import io.quorate.client.IndeterminateException;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateClient;
import io.quorate.testing.EmbeddedCluster;
import io.quorate.testing.QuorateTest;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.web.reactive.function.client.WebClient;

/** Tests the application of Spring with an embedded cluster, whose addresses it is given. */
@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT)
@QuorateTest(nodes = 3)
class GreetingsTest {
  @DynamicPropertySource
  static void database(DynamicPropertyRegistry registry) {
    registry.add("quorate.at", () -> EmbeddedCluster.of(GreetingsTest.class).addresses());
  }

  @Autowired private QuorateClient database;

  @Test
  void theApplicationKeepsGreetingsInTheClusterOfTheTest(
      @Value("${local.server.port}") int port,
      EmbeddedCluster cluster) {
    WebClient http = WebClient.create("http://127.0.0.1:" + port);
    http.put().uri("/greetings/ada").bodyValue("hello").retrieve().toBodilessEntity().block();
    try (QuorateClient other = QuorateClient.connect(cluster.options())) {
      assertEquals("hello", other.get("greeting:ada").orElseThrow());
    }
  }

  @Test
  void theApplicationGoesOnWhileNodesFail(QuorateClient client, EmbeddedCluster cluster) {
    QuorateClient patient = database.withDeadline(Duration.ofSeconds(30));
    cluster.stopNode(0);
    patient.put("while", "stopped");
    cluster.startNode(0);
    cluster.faults().isolate(1);
    patient.put("while", "isolated");
    cluster.faults().heal();
    cluster.faults().dropResponses();
    QuorateClient hasty = database.withDeadline(Duration.ofSeconds(1));
    IndeterminateException unknown =
        assertThrows(IndeterminateException.class, () -> hasty.put("while", "responses are lost"));
    cluster.faults().heal();
    unknown.await(Duration.ofSeconds(30));
    assertEquals(
        "responses are lost", client.withDeadline(Duration.ofSeconds(30)).get("while").orElseThrow());
  }

  @Test
  void aBatchOverTwoRegionsIsRefused(EmbeddedCluster cluster) {
    Batch twoKinds = new Batch().put("order:1", "open").put("user:1", "ada");
    assertThrows(InvalidRequestException.class, () -> database.batch(twoKinds));
    Batch stock = new Batch().put("stock/bolt", "1").put("stock/nut", "1");
    database.batch(stock);
    cluster.splitAt("stock/c");
    assertThrows(InvalidRequestException.class, () -> database.batch(stock));
  }
}
