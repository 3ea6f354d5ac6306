package com.example;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quorate.client.ClientMetrics;
import io.quorate.client.ClientOptions;
import io.quorate.client.Codec;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateMap;
import io.quorate.testing.EmbeddedCluster;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.publisher.Mono;

/**
 * Keeps greetings in Quorate and serves them over HTTP by WebFlux. Calls itself, says what it did,
 * and ends. Uses the cluster at QUORATE_AT, or one in its JVM.
 */
@SpringBootApplication
public class Greetings {
  @Bean
  MeterRegistry registry() {
    return new SimpleMeterRegistry();
  }

  @Bean
  QuorateClient client(@Value("${quorate.at}") String nodes, MeterRegistry registry) {
    return QuorateClient.connect(
        ClientOptions.builder(nodes)
            .listener(new ClientMetrics(registry, Tags.empty()))
            .build());
  }

  @RestController
  record Endpoint(QuorateClient client) {
    @PutMapping("/greetings/{name}")
    Mono<Void> put(@PathVariable("name") String name, @RequestBody String greeting) {
      return Mono.fromFuture(client.async().put("greeting:" + name, greeting)).then();
    }

    @GetMapping("/greetings/{name}")
    Mono<String> get(@PathVariable("name") String name) {
      return Mono.fromFuture(client.async().get("greeting:" + name)).flatMap(Mono::justOrEmpty);
    }
  }

  /** Kept as JSON, by the Jackson of Spring Boot. */
  record Letter(String to, int pages) {}

  public static void main(String[] arguments) {
    String nodes = System.getenv("QUORATE_AT");
    if (nodes != null) {
      run(nodes);
      return;
    }
    try (EmbeddedCluster cluster = EmbeddedCluster.start(1)) {
      run(cluster.addresses());
    }
  }

  private static void run(String nodes) {
    System.setProperty("quorate.at", nodes);
    System.setProperty("server.port", "0");
    try (ConfigurableApplicationContext application = SpringApplication.run(Greetings.class)) {
      WebClient http =
          WebClient.create(
              "http://127.0.0.1:" + application.getEnvironment().getProperty("local.server.port"));
      http.put().uri("/greetings/ada").bodyValue("hello").retrieve().toBodilessEntity().block();
      String read = http.get().uri("/greetings/ada").retrieve().bodyToMono(String.class).block();
      if (!"hello".equals(read)) {
        throw new IllegalStateException("Read \"" + read + "\".");
      }
      QuorateMap<Long, Letter> letters =
          application
              .getBean(QuorateClient.class)
              .namespace("letters/")
              .map(Codec.longs(), Codec.json(Letter.class));
      letters.put(7L, new Letter("ada", 2));
      if (!letters.get(7L).equals(Optional.of(new Letter("ada", 2)))) {
        throw new IllegalStateException("Read " + letters.get(7L) + ".");
      }
      if (application.getBean(MeterRegistry.class).getMeters().isEmpty()) {
        throw new IllegalStateException("No call was recorded.");
      }
      System.out.println(
          "Works with Spring Boot "
              + SpringApplication.class.getPackage().getImplementationVersion()
              + " and "
              + jar(io.netty.channel.Channel.class)
              + ".");
    }
  }

  private static String jar(Class<?> type) {
    String location = type.getProtectionDomain().getCodeSource().getLocation().getPath();
    return location.substring(location.lastIndexOf('/') + 1);
  }
}
