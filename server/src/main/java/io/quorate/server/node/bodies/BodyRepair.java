package io.quorate.server.node.bodies;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.quorate.common.Pace;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyStorage;
import io.quorate.consensus.MetricsSink;
import io.quorate.server.config.StorageConfig;
import io.quorate.server.topology.ClusterTopology;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the redundancy of bodies: restores those to which rows of this node refer and that its
 * store lacks, because it was down, installed a snapshot or lost records; and verifies, more
 * rarely, those that it has. Each of the two walks has a thread of its own; both share one pace.
 */
public final class BodyRepair implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BodyRepair.class);
  private static final long STOP_MILLIS_MAX = 5_000;

  /** A walk pauses this many times as long as it read rows: 5 % of a processor. */
  private static final int PAUSES = 19;

  @FunctionalInterface
  private interface Walk {
    /** Returns the nanoseconds spent on reading rows. */
    long run() throws InterruptedException;
  }

  private final ClusterTopology topology;
  private final BodyStorage bodies;
  private final BodyCensus census;
  private final Pace pace;
  private final MetricsSink.Counter restored;
  private final MetricsSink.Counter damaged;
  private final MetricsSink.Counter cleanSearches;
  private final MetricsSink.Counter cleanScrubs;
  private final List<Thread> threads;

  /** Guarded by this. */
  private boolean closed;

  /** Of the last search; not a number before it. */
  private volatile double missing = Double.NaN;

  /**
   * @param census receives what the walks find
   */
  public BodyRepair(
      ClusterTopology topology,
      BodyStorage bodies,
      BodyCensus census,
      StorageConfig.Bodies config,
      MetricsSink telemetry) {
    this.topology = topology;
    this.bodies = bodies;
    this.census = census;
    this.pace = new Pace(config.repairBytesPerSecond(), System.nanoTime());
    restored =
        telemetry.counter(
            "storage.bodies.restored",
            "Bodies that were missing or damaged and restored",
            Map.of());
    damaged =
        telemetry.counter(
            "storage.bodies.damaged", "Bodies that a verification found damaged", Map.of());
    cleanSearches = cleanWalks(telemetry, "search");
    cleanScrubs = cleanWalks(telemetry, "scrub");
    telemetry.gauge(
        "storage.bodies.missing",
        "Bodies that the last search found missing, before it restored them",
        Map.of(),
        () -> missing);
    threads =
        List.of(
            thread("quorate-body-repair", this::search, config.repairInterval()),
            thread("quorate-body-scrub", this::verify, config.scrubInterval()));
  }

  private static MetricsSink.Counter cleanWalks(MetricsSink telemetry, String walk) {
    return telemetry.counter(
        "storage.bodies.walks",
        "Walks over all bodies at whose end every one that they examined was intact",
        Map.of("walk", walk));
  }

  private Thread thread(String name, Walk walk, Duration interval) {
    return new DefaultThreadFactory(name, true, Thread.MIN_PRIORITY)
        .newThread(() -> repeat(walk, interval));
  }

  /** Starts both walks. To be called once; does nothing after {@link #close}. Does not block. */
  public synchronized void start() {
    if (!closed) {
      threads.forEach(Thread::start);
    }
  }

  private void repeat(Walk walk, Duration interval) {
    try {
      while (true) {
        long pause = interval.toNanos();
        try {
          pause = Math.max(pause, PAUSES * walk.run());
        } catch (RuntimeException e) {
          LOG.atError().setCause(e).log("A walk over the bodies failed; the next one retries");
        }
        TimeUnit.NANOSECONDS.sleep(pause);
      }
    } catch (InterruptedException e) {
      LOG.atDebug().log("The walks over the bodies end");
    }
  }

  /** Counts first, so that the figures do not wait for restorations, which may take hours. */
  private long search() throws InterruptedException {
    AtomicLong diminished = new AtomicLong();
    BodyWalk.Outcome counted =
        walk(
            body -> {
              if (bodies.mayHaveLost(body)) {
                diminished.incrementAndGet();
              }
              return false;
            });
    census.searched(counted.regions());
    missing = counted.missing();
    if (missing == 0 && diminished.get() == 0 && counted.regionsSkipped() == 0) {
      count(cleanSearches, counted);
      return counted.readNanos();
    }
    BodyWalk.Outcome searched = walk(body -> !bodies.contains(body) || bodies.mayHaveLost(body));
    log(searched, "missing", "Searched for missing bodies");
    count(cleanSearches, searched);
    return counted.readNanos() + searched.readNanos();
  }

  private long verify() throws InterruptedException {
    BodyWalk.Outcome verified = walk(bodies::contains);
    census.verified(verified.regions());
    log(verified, "verified", "Verified the bodies");
    count(cleanScrubs, verified);
    return verified.readNanos();
  }

  private static void count(MetricsSink.Counter cleanWalks, BodyWalk.Outcome outcome) {
    if (outcome.isClean()) {
      cleanWalks.add(1);
    }
  }

  private BodyWalk.Outcome walk(Predicate<BodyId> isDue) throws InterruptedException {
    return new BodyWalk(isDue, pace, restored, damaged).run(topology.hosted());
  }

  private static void log(BodyWalk.Outcome outcome, String due, String message) {
    LOG.atInfo()
        .addKeyValue("bodies", outcome.bodies())
        .addKeyValue(due, outcome.due())
        .addKeyValue("damaged", outcome.damaged())
        .addKeyValue("restored", outcome.restored())
        .addKeyValue("failed", outcome.failed())
        .addKeyValue("regionsSkipped", outcome.regionsSkipped())
        .log(message);
  }

  /** Ends both walks, and waits for that a few seconds. Restorations in progress continue. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    threads.forEach(Thread::interrupt);
    try {
      for (Thread thread : threads) {
        thread.join(STOP_MILLIS_MAX);
        if (thread.isAlive()) {
          LOG.atWarn().addKeyValue("thread", thread.getName()).log("A walk did not end in time");
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
