package io.quorate.server.verification.torture;

import io.quorate.server.localcluster.ClusterException;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.History;
import io.quorate.server.verification.history.HistoryRecorder;
import io.quorate.server.verification.history.Operation;
import io.quorate.server.verification.nemesis.Arena;
import io.quorate.server.verification.nemesis.Fault;
import io.quorate.server.verification.workload.Workloads;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Clients at work while a few faults are injected and healed, and then a look at what is left. */
final class Round {
  private static final Duration RECOVERY_PATIENCE = Duration.ofSeconds(120);
  private static final Duration AFTER_RECOVERY = Duration.ofSeconds(1);

  private final int number;
  private final Schedule.Round schedule;
  private final Arena arena;
  private final Instruments instruments;
  private final PriorityQueue<Event> agenda =
      new PriorityQueue<>(Comparator.comparingLong(Event::atNanos));
  private final List<Lasting> lasting = new ArrayList<>();

  /** What counts and writes down what happens. */
  record Instruments(
      Tally tally,
      Availability availability,
      Stillness stillness,
      FaultLog faults,
      Consumer<String> stage) {}

  /**
   * @param history of all clients
   * @param problem why the cluster did not serve again, if so
   */
  record Result(int number, History history, Optional<String> problem) {}

  private interface Step {
    void run() throws IOException, InterruptedException;
  }

  private record Event(long atNanos, Step step) {}

  private record Lasting(String nemesis, Fault fault) {}

  Round(int number, Schedule.Round schedule, Arena arena, Instruments instruments) {
    this.number = number;
    this.schedule = schedule;
    this.arena = arena;
    this.instruments = instruments;
  }

  /** Runs the round; blocks for its whole time. Leaves no fault behind. */
  Result run(Crew crew, long seed) throws IOException, InterruptedException {
    HistoryRecorder recorder = new HistoryRecorder();
    Load load = new Load(crew.recording(recorder, instruments.tally()));
    try {
      instruments.availability().resume();
      load.start(Workloads.all("r" + number), seed);
      injectAndHeal();
      Optional<String> problem = awaitRecovery();
      pause(AFTER_RECOVERY);
      instruments.stage().accept("reading back");
      load.stop();
      instruments.availability().suspend();
      if (problem.isEmpty()) {
        load.perform(readsOfAll(recorder.history()));
      }
      return new Result(number, recorder.history(), problem);
    } finally {
      load.close();
    }
  }

  private void injectAndHeal() throws IOException, InterruptedException {
    long start = System.nanoTime();
    for (Schedule.Strike strike : schedule.strikes()) {
      agenda.add(new Event(start + strike.at().toNanos(), () -> inject(strike)));
    }
    try {
      while (!agenda.isEmpty()) {
        Event next = agenda.poll();
        pause(Duration.ofNanos(next.atNanos() - System.nanoTime()));
        next.step().run();
      }
    } finally {
      for (Lasting left : List.copyOf(lasting)) {
        heal(left);
      }
    }
  }

  private void inject(Schedule.Strike strike) throws InterruptedException {
    String name = strike.nemesis().name();
    instruments.stage().accept(name);
    instruments.availability().began(name);
    instruments.stillness().beginning(strike.nemesis(), schedule.strikes().size() == 1);
    Optional<Fault> fault = Optional.empty();
    try {
      fault = strike.nemesis().strike(arena, new Random(strike.seed()));
      if (fault.isEmpty()) {
        instruments.faults().missed(name, "there was nobody to do it to");
      }
    } catch (IOException | ClusterException e) {
      instruments.faults().missed(name, e.toString());
    }
    if (fault.isEmpty()) {
      instruments.availability().ended(name);
      return;
    }
    instruments.faults().injected(name, fault.get().description());
    instruments.stillness().established(strike.nemesis());
    Lasting injected = new Lasting(name, fault.get());
    lasting.add(injected);
    agenda.add(new Event(System.nanoTime() + strike.lasting().toNanos(), () -> heal(injected)));
  }

  private void heal(Lasting injected) throws IOException, InterruptedException {
    if (lasting.remove(injected)) {
      instruments.stage().accept("healing " + injected.nemesis());
      instruments.stillness().healing(number);
      injected.fault().healing().heal();
      instruments.faults().note("healed " + injected.nemesis());
      instruments.availability().ended(injected.nemesis());
    }
  }

  /** Empty once all nodes and regions serve; otherwise a sentence why not. */
  private Optional<String> awaitRecovery() throws IOException, InterruptedException {
    instruments.stage().accept("recovering");
    long end = System.nanoTime() + RECOVERY_PATIENCE.toNanos();
    try {
      while (true) {
        Optional<String> ended = startSupervised();
        if (ended.isPresent()) {
          return ended;
        }
        try {
          arena.cluster().awaitServing(left(end));
          awaitReady(end);
          instruments.faults().note("all serve");
          return Optional.empty();
        } catch (ClusterException.NotServing e) {
          instruments.faults().note(e.getMessage());
          if (System.nanoTime() > end || nothingEnded()) {
            return Optional.of("After all faults were healed: " + e.getMessage());
          }
        }
      }
    } finally {
      arena.endSupervision();
    }
  }

  /** Regions are served by a majority; the other nodes have to come back as well. */
  private void awaitReady(long endNanos) throws InterruptedException {
    for (NodeProcess node : arena.cluster().nodes()) {
      if (!arena.awaitReady(node, left(endNanos))) {
        throw new ClusterException.NotServing(
            node.isAlive()
                ? "Node %s did not take clients within %d s."
                    .formatted(node.plan().id(), RECOVERY_PATIENCE.toSeconds())
                : "Node %s ended before it took clients: %s"
                    .formatted(node.plan().id(), node.lastSentence()));
      }
    }
  }

  private static Duration left(long endNanos) {
    return Duration.ofNanos(Math.max(1, endNanos - System.nanoTime()));
  }

  /** Starts nodes that had a reason to end by themselves; a sentence if one had none. */
  private Optional<String> startSupervised() throws IOException {
    for (NodeProcess node : arena.cluster().nodes()) {
      if (!node.isAlive()) {
        String ended = "Node " + node.plan().id() + " ended by itself: " + node.lastSentence();
        if (!arena.isSupervised(node)) {
          return Optional.of(ended);
        }
        instruments.faults().note(ended + " It is started again.");
        node.start();
      }
    }
    return Optional.empty();
  }

  private boolean nothingEnded() {
    return arena.cluster().nodes().stream().allMatch(NodeProcess::isAlive);
  }

  /** What was acknowledged before a crash is there after it only if somebody looks. */
  private static Collection<Action> readsOfAll(History history) {
    Set<String> keys = new TreeSet<>();
    Set<Action> reads = new LinkedHashSet<>();
    for (Operation operation : history.operations()) {
      if (operation.action() instanceof Action.OnKey onKey) {
        keys.add(onKey.key());
      } else if (operation.action() instanceof Action.Scan) {
        reads.add(operation.action());
      }
    }
    keys.forEach(key -> reads.add(new Action.Get(key)));
    return reads;
  }

  private static void pause(Duration time) throws InterruptedException {
    // Nothing counts it down: a latch waits without the risk of waking up early.
    if (!time.isNegative()) {
      new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
    }
  }
}
