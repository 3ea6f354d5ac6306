package io.quorate.client;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.SenderContext;
import io.quorate.common.Nulls;

/**
 * Makes each call of one or more clients an observation of Micrometer, and so a span of the tracing
 * library that the application has connected to the registry, such as OpenTelemetry. Micrometer is
 * a dependency that the application provides.
 *
 * <pre>{@code
 * ClientOptions.builder(addresses).listener(new ClientObservations(registry)).build();
 * }</pre>
 *
 * <p>An observation has the name {@code quorate.client.call}, and as the name of its span for
 * example {@code quorate get}; the span is of kind client. Its parent is the current observation of
 * the caller when the call begins, or the current span if there is none. Its values of low
 * cardinality are {@code operation} and {@code outcome}, as those of {@link ClientMetrics}; those
 * of high cardinality are {@code attempts}, and {@code region} and {@code node} if there are such;
 * its error is the exception of the call.
 *
 * <p>Safe for use by multiple threads.
 */
public final class ClientObservations implements CallListener {
  private final ObservationRegistry registry;

  /**
   * @param registry whose handlers receive the observations
   */
  public ClientObservations(ObservationRegistry registry) {
    this.registry = Nulls.refuse(registry, "registry");
  }

  @Override
  public Handle begin(CallStart call) {
    Nulls.refuse(call, "call");
    String operation = call.operation().label();
    return new Observed(
        Observation.createNotStarted("quorate.client.call", ClientObservations::context, registry)
            .contextualName("quorate " + operation)
            .lowCardinalityKeyValue("operation", operation)
            .start());
  }

  /** Nothing of the context goes to the nodes. */
  private static SenderContext<Object> context() {
    SenderContext<Object> context = new SenderContext<>((to, key, value) -> {}, Kind.CLIENT);
    context.setRemoteServiceName("quorate");
    return context;
  }

  private record Observed(Observation observation) implements Handle {
    @Override
    public void end(CallReport call) {
      observation
          .lowCardinalityKeyValue("outcome", call.outcome())
          .highCardinalityKeyValue("attempts", Integer.toString(call.attempts()));
      call.region().ifPresent(id -> observation.highCardinalityKeyValue("region", id.toString()));
      call.node().ifPresent(id -> observation.highCardinalityKeyValue("node", id.toString()));
      call.failure().ifPresent(observation::error);
      observation.stop();
    }
  }
}
