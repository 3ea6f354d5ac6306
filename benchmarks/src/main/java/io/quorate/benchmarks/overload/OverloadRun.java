package io.quorate.benchmarks.overload;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.KvRun;
import io.quorate.benchmarks.kv.KvWorkload;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.kv.OpenLoopStats;
import io.quorate.benchmarks.kv.Population;
import io.quorate.benchmarks.kv.WorkloadStats;
import io.quorate.server.cli.terminal.ProgressLine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Measures one database: its peak, more and more load in open loops, and whether it recovers. */
final class OverloadRun {
  private static final int KEYS = 10_000;
  private static final int CLIENTS = 256;
  private static final int CLIENTS_OF_LARGE_VALUES = 64;
  private static final int LARGE_BYTES = 16 << 10;
  private static final int RECOVERY_SECONDS = 5;
  private static final double NEARLY_ALL = 99;
  private static final double PERCENT = 100;

  /** More would be the memory of this process. */
  private static final int IN_FLIGHT_MAX = 200_000;

  private static final long IN_FLIGHT_BYTES_MAX = 256 << 20;

  private static final Duration MODEST_PAUSE = Duration.ofMillis(50);
  private static final Duration HEALTH_PAUSE = Duration.ofMillis(100);
  private static final byte[] MODEST_KEY = "modest".getBytes(StandardCharsets.US_ASCII);
  private static final int MODEST_VALUE_BYTES = 1 << 10;

  private final String contender;
  private final OverloadTarget target;

  /** Empty of a database without a monitor. */
  private final Optional<Regular.Call> health;

  private final int valueBytes;
  private final OverloadScale scale;
  private final KvRun run;

  OverloadRun(
      String contender,
      OverloadTarget target,
      int valueBytes,
      OverloadScale scale,
      ProgressLine progress) {
    this.contender = contender;
    this.target = target;
    this.health = target.health();
    this.valueBytes = valueBytes;
    this.scale = scale;
    this.run =
        new KvRun(target.greedy(), new Population(new KeySpace(KEYS)), progress, System::nanoTime);
  }

  OverloadResult measure() throws IOException, InterruptedException {
    KvWorkload peakLoad =
        load(valueBytes < LARGE_BYTES ? CLIENTS : CLIENTS_OF_LARGE_VALUES, "puts at the peak");
    run.warmUp(contender + ": warming up: ", peakLoad, scale.warmup());
    double peak = run.runSlice(contender + ": ", peakLoad, 0, scale.level().toNanos()).throughput();
    Regular.Seen alone = alone();
    List<OverloadLevel> levels = new ArrayList<>();
    for (double multiple : scale.multiples()) {
      levels.add(level(multiple, peak, levels.size()));
    }
    List<WorkloadStats> seconds = run.series(peakLoad, RECOVERY_SECONDS);
    return new OverloadResult(
        contender, valueBytes, peak, alone, levels, seconds.get(RECOVERY_SECONDS - 1).throughput());
  }

  private KvWorkload load(int clients, String what) {
    return new KvWorkload(what, Mix.of(CallKind.PUT), KeyChoice.UNIFORM, clients, valueBytes);
  }

  private Regular.Seen alone() throws InterruptedException {
    try (Regular modest = modest()) {
      TimeUnit.NANOSECONDS.sleep(scale.level().toNanos());
      return modest.end();
    }
  }

  private Regular modest() {
    byte[] value = new byte[MODEST_VALUE_BYTES];
    return new Regular(
        "modest-client",
        MODEST_PAUSE,
        () ->
            target
                .modest()
                .put(MODEST_KEY, value)
                .toCompletableFuture()
                .get(2 * OverloadTarget.DEADLINE.toMillis(), TimeUnit.MILLISECONDS));
  }

  private OverloadLevel level(double multiple, double peak, int number)
      throws IOException, InterruptedException {
    Supplier<OptionalDouble> refusals = target.refusals();
    try (Regular modest = modest();
        Regular monitor = new Regular("monitor", HEALTH_PAUSE, health.orElse(() -> {}))) {
      int inFlightMax = (int) Math.min(IN_FLIGHT_MAX, IN_FLIGHT_BYTES_MAX / valueBytes);
      OpenLoopStats stats =
          run.runOpen(
              String.format(Locale.ROOT, "%s: %.1f times the peak: ", contender, multiple),
              load(inFlightMax, "puts"),
              multiple * peak,
              number,
              0,
              scale.levelNanos(multiple));
      Regular.Seen seen = modest.end();
      Regular.Seen seenByMonitor = health.isPresent() ? monitor.end() : Regular.Seen.NOTHING;
      return new OverloadLevel(
          multiple, stats.offeredRate(), calls(stats), seen, seenByMonitor, refusals.get());
    }
  }

  private static OverloadLevel.Calls calls(OpenLoopStats stats) {
    WorkloadStats calls = stats.calls();
    long sent = calls.all().count() + calls.errors();
    return new OverloadLevel.Calls(
        stats.throughput(),
        sent == 0 ? 0 : PERCENT * calls.errors() / sent,
        stats.droppedPercent(),
        calls.all().millis(NEARLY_ALL));
  }
}
