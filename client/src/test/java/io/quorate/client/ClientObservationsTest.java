package io.quorate.client;

import static io.quorate.client.ClientFixture.failure;
import static io.quorate.client.ClientFixture.options;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.handler.PropagatingSenderTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelPropagator;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.quorate.client.fake.FakeCluster;
import io.quorate.client.fake.Reaction;
import io.quorate.model.KeyRange;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ClientObservationsTest {
  private FakeCluster cluster;

  @BeforeEach
  void start() {
    cluster = ClientFixture.twoRegions();
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private AsyncQuorateClient open(ObservationRegistry registry) {
    return AsyncQuorateClient.open(
        options(cluster).listener(new ClientObservations(registry)).inFlight(10, 100).build());
  }

  @Test
  void eachCallIsAnObservationBelowThatOfItsCaller() {
    TestObservationRegistry registry = TestObservationRegistry.create();
    try (AsyncQuorateClient client = open(registry)) {
      Observation caller = Observation.start("caller", registry);
      caller.scoped(() -> client.put("z", "1").join());
      caller.stop();

      TestObservationRegistryAssert.assertThat(registry)
          .hasObservationWithNameEqualTo("quorate.client.call")
          .that()
          .hasBeenStarted()
          .hasBeenStopped()
          .hasContextualNameEqualTo("quorate put")
          .hasLowCardinalityKeyValue("operation", "put")
          .hasLowCardinalityKeyValue("outcome", "ok")
          .hasHighCardinalityKeyValue("attempts", "1")
          .hasHighCardinalityKeyValue("region", "2")
          .hasHighCardinalityKeyValue("node", "n2")
          .hasParentObservationEqualTo(caller)
          .doesNotHaveError();
      // Nothing is left on the threads of the client and of the caller.
      assertThat(registry.getCurrentObservation()).isNull();
    }
  }

  @Test
  void aCallThatFailsIsAnObservationWithAnError() {
    TestObservationRegistry registry = TestObservationRegistry.create();
    try (AsyncQuorateClient client = open(registry)) {
      Throwable tooLong = failure(client.put("a", "1".repeat(100)));
      TestObservationRegistryAssert.assertThat(registry)
          .hasObservationWithNameEqualTo("quorate.client.call")
          .that()
          .hasBeenStopped()
          .hasLowCardinalityKeyValue("outcome", "invalid")
          .doesNotHaveHighCardinalityKeyValueWithKey("node")
          .hasError(tooLong);
    }
  }

  /** As an application connects the two, with handlers of Micrometer alone. */
  @Test
  void callsAreSpansOfOpenTelemetry() {
    InMemorySpanExporter spans = InMemorySpanExporter.create();
    try (SdkTracerProvider provider =
            SdkTracerProvider.builder()
                .addSpanProcessor(SimpleSpanProcessor.create(spans))
                .build();
        AsyncQuorateClient client = open(connected(provider.get("test")))) {
      client.put("a", "1").join();
      client.put("z", "1").join();
      spans.reset();
      Span caller = provider.get("application").spanBuilder("caller").startSpan();
      cluster.nodes().forEach(node -> node.next(Opcode.GET, Reaction.refuse(Status.UNAVAILABLE)));
      Context.current()
          .with(caller)
          .wrap(
              () -> {
                client.get("a").join();
                client.scan(KeyRange.ALL, 10).join();
                failure(client.put("a", "1".repeat(100)));
              })
          .run();

      List<SpanData> finished = spans.getFinishedSpanItems();
      assertThat(finished)
          .extracting(SpanData::getName)
          .containsExactly("quorate get", "quorate scan", "quorate put");
      assertThat(finished)
          .allSatisfy(
              span -> {
                assertThat(span.getKind()).isEqualTo(SpanKind.CLIENT);
                assertThat(span.getTraceId()).isEqualTo(caller.getSpanContext().getTraceId());
                assertThat(span.getParentSpanId()).isEqualTo(caller.getSpanContext().getSpanId());
              });
      assertThat(attribute(finished.get(0), "operation")).isEqualTo("get");
      assertThat(attribute(finished.get(0), "outcome")).isEqualTo("ok");
      assertThat(attribute(finished.get(0), "node")).startsWith("n");
      assertThat(Integer.parseInt(attribute(finished.get(0), "attempts"))).isGreaterThan(1);
      assertThat(attribute(finished.get(2), "outcome")).isEqualTo("invalid");
      assertThat(finished.get(2).getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
    }
  }

  private static String attribute(SpanData span, String name) {
    return span.getAttributes().get(AttributeKey.stringKey(name));
  }

  private static ObservationRegistry connected(Tracer tracer) {
    OtelTracer bridge = new OtelTracer(tracer, new OtelCurrentTraceContext(), event -> {});
    ObservationRegistry registry = ObservationRegistry.create();
    registry
        .observationConfig()
        .observationHandler(
            new ObservationHandler.FirstMatchingCompositeObservationHandler(
                new PropagatingSenderTracingObservationHandler<>(
                    bridge, new OtelPropagator(ContextPropagators.noop(), tracer)),
                new DefaultTracingObservationHandler(bridge)));
    return registry;
  }
}
