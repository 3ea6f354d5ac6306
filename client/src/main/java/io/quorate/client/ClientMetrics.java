package io.quorate.client;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Records the calls of one or more clients as Micrometer meters. Micrometer is a dependency that
 * the application provides.
 *
 * <pre>{@code
 * ClientOptions.builder(addresses).listener(new ClientMetrics(registry, Tags.empty())).build();
 * }</pre>
 *
 * <ul>
 *   <li>Timer {@code quorate.client.calls}, with the tags {@code kind} (read, scan, write) and
 *       {@code outcome} (ok, refused, invalid, unavailable, overloaded, indeterminate,
 *       incompatible, closed).
 *   <li>Counter {@code quorate.client.retries}, with the tag {@code kind}: attempts beyond the
 *       first of each call.
 * </ul>
 *
 * <p>Safe for use by multiple threads.
 */
public final class ClientMetrics implements CallListener {
  private final MeterRegistry registry;
  private final Tags tags;
  private final Map<Series, Timer> calls = new ConcurrentHashMap<>();
  private final Map<CallReport.Kind, Counter> retries = new ConcurrentHashMap<>();

  private record Series(CallReport.Kind kind, String outcome) {}

  /**
   * @param registry the registry of the meters
   * @param tags the tags of each meter in addition to {@code kind} and {@code outcome}
   */
  public ClientMetrics(MeterRegistry registry, Iterable<Tag> tags) {
    this.registry = registry;
    this.tags = Tags.of(tags);
  }

  @Override
  public void ended(CallReport call) {
    String outcome = call.failure().map(QuorateException::outcome).orElse("ok");
    calls.computeIfAbsent(new Series(call.kind(), outcome), this::timer).record(call.time());
    if (call.attempts() > 1) {
      retries.computeIfAbsent(call.kind(), this::counter).increment(call.attempts() - 1.0);
    }
  }

  private Timer timer(Series series) {
    return Timer.builder("quorate.client.calls")
        .description("Calls of the client that ended, with all their attempts")
        .tags(tags.and("kind", text(series.kind()), "outcome", series.outcome()))
        .register(registry);
  }

  private Counter counter(CallReport.Kind kind) {
    return Counter.builder("quorate.client.retries")
        .description("Attempts beyond the first of each call")
        .tags(tags.and("kind", text(kind)))
        .register(registry);
  }

  private static String text(CallReport.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }
}
