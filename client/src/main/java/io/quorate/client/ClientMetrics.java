package io.quorate.client;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.quorate.common.Nulls;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Records the calls of one or more clients as Micrometer meters. Micrometer is a dependency that
 * the application provides.
 *
 * <pre>{@code
 * ClientOptions.builder(addresses).listener(new ClientMetrics(registry, Tags.empty())).build();
 * }</pre>
 *
 * <ul>
 *   <li>Timer {@code quorate.client.calls}, with the tags {@code operation} ({@link
 *       CallOperation#label}), {@code outcome} ({@link CallReport#outcome}), {@code region} and
 *       {@code node} ({@link CallReport}; {@code none} if it has none).
 *   <li>Counter {@code quorate.client.retries}, with the tag {@code operation}: attempts beyond the
 *       first of each request.
 *   <li>Gauge {@code quorate.client.calls.in.flight}: calls that were admitted and have not ended.
 *   <li>Gauge {@code quorate.client.calls.waiting}: calls that wait for admission.
 * </ul>
 *
 * <p>A cluster may have thousands of regions. The regions and nodes that were seen first have tags
 * of their own, at most {@value #REGIONS_DEFAULT} regions and {@value #NODES_DEFAULT} nodes unless
 * the constructor says otherwise; all others have the tag {@code other} for as long as this object
 * exists.
 *
 * <p>Safe for use by multiple threads. The gauges of two objects with the same registry and tags
 * are one in a registry, which shows those of the first object: use one for several clients.
 */
public final class ClientMetrics implements CallListener {
  /** The number of regions that have tags of their own by default. */
  public static final int REGIONS_DEFAULT = 16;

  /** The number of nodes that have tags of their own by default. */
  public static final int NODES_DEFAULT = 16;

  private final MeterRegistry registry;
  private final Tags tags;
  private final BoundedTag regions;
  private final BoundedTag nodes;
  private final Map<Series, Timer> calls = new ConcurrentHashMap<>();
  private final Map<CallOperation, Counter> retries = new ConcurrentHashMap<>();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();

  private record Series(CallOperation operation, String outcome, String region, String node) {}

  /**
   * @param registry the registry of the meters
   * @param tags tags of each meter in addition to those above
   */
  public ClientMetrics(MeterRegistry registry, Iterable<Tag> tags) {
    this(registry, tags, REGIONS_DEFAULT, NODES_DEFAULT);
  }

  /**
   * @param registry the registry of the meters
   * @param tags tags of each meter in addition to those above
   * @param regionsMax the number of regions that have tags of their own; 0 or greater
   * @param nodesMax the number of nodes that have tags of their own; 0 or greater
   */
  public ClientMetrics(MeterRegistry registry, Iterable<Tag> tags, int regionsMax, int nodesMax) {
    this.registry = Nulls.refuse(registry, "registry");
    this.tags = Tags.of(Nulls.refuse(tags, "tags"));
    this.regions = new BoundedTag(regionsMax);
    this.nodes = new BoundedTag(nodesMax);
    gauge("in.flight", "Calls that were admitted and have not ended", inFlight);
    gauge("waiting", "Calls that wait for admission", waiting);
  }

  private void gauge(String name, String description, AtomicInteger value) {
    Gauge.builder("quorate.client.calls." + name, value, AtomicInteger::get)
        .description(description)
        .tags(tags)
        .strongReference(true)
        .register(registry);
  }

  @Override
  public Handle begin(CallStart call) {
    Nulls.refuse(call, "call");
    waiting.incrementAndGet();
    return new Recorded();
  }

  private final class Recorded implements Handle {
    private AtomicInteger present = waiting;

    @Override
    public void admitted() {
      waiting.decrementAndGet();
      inFlight.incrementAndGet();
      present = inFlight;
    }

    @Override
    public void end(CallReport call) {
      present.decrementAndGet();
      record(call);
    }
  }

  private void record(CallReport call) {
    Series series =
        new Series(
            call.operation(), call.outcome(), regions.of(call.region()), nodes.of(call.node()));
    calls.computeIfAbsent(series, this::timer).record(call.time());
    if (call.retries() > 0) {
      retries.computeIfAbsent(call.operation(), this::counter).increment(call.retries());
    }
  }

  private Timer timer(Series series) {
    return Timer.builder("quorate.client.calls")
        .description("Calls of the client that ended, with all their attempts")
        .tags(
            tags.and(
                "operation",
                series.operation().label(),
                "outcome",
                series.outcome(),
                "region",
                series.region(),
                "node",
                series.node()))
        .register(registry);
  }

  private Counter counter(CallOperation operation) {
    return Counter.builder("quorate.client.retries")
        .description("Attempts beyond the first of each request")
        .tags(tags.and("operation", operation.label()))
        .register(registry);
  }

  /** The values of a tag, of which a bounded number is told apart. */
  private static final class BoundedTag {
    private final int max;
    private final Map<Object, String> known = new ConcurrentHashMap<>();

    BoundedTag(int max) {
      if (max < 0) {
        throw new IllegalArgumentException("A number of tags is 0 or greater, not " + max + ".");
      }
      this.max = max;
    }

    String of(Optional<?> value) {
      return value.map(this::text).orElse("none");
    }

    private String text(Object value) {
      String text = known.get(value);
      if (text == null) {
        text = known.size() < max ? learned(value) : "other";
      }
      return text;
    }

    private synchronized String learned(Object value) {
      if (known.size() < max) {
        known.putIfAbsent(value, value.toString());
      }
      return known.getOrDefault(value, "other");
    }
  }
}
