package io.quorate.torture.run;

import io.quorate.server.localcluster.ClusterException;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.history.Action;
import io.quorate.torture.history.History;
import io.quorate.torture.history.HistoryRecorder;
import io.quorate.torture.history.Operation;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.workload.Workloads;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One round: clients run workloads while faults are injected and healed; after the cluster has
 * recovered, all keys are read once more. Used once, by one thread.
 */
final class Round {
  private static final Duration RECOVERY_TIMEOUT = Duration.ofSeconds(120);

  /** Longer than the deadline of every client, and than a change of leaders under load. */
  private static final Duration READ_BACK_TIMEOUT = Duration.ofSeconds(60);

  private static final Duration LOAD_AFTER_RECOVERY = Duration.ofSeconds(1);

  private final int number;
  private final Schedule.RoundPlan plan;
  private final Arena arena;
  private final Instruments instruments;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingLong(Event::atNanos));
  private final List<ActiveFault> activeFaults = new ArrayList<>();
  private final List<String> failedHealings = new ArrayList<>();

  /** The parts of the torture that measure and log a round. */
  record Instruments(
      OperationCounts operationCounts,
      Availability availability,
      ProgressCheck progressCheck,
      FaultLog faults,
      Consumer<String> stage) {}

  /**
   * What a round recorded.
   *
   * @param history of all clients
   * @param problem why the cluster did not recover; empty if it did
   * @param unreadable what cannot be read or restored though the cluster recovered; empty if all
   *     can
   */
  record RoundResult(
      int number, History history, Optional<String> problem, Optional<String> unreadable) {}

  private interface Step {
    void run() throws InterruptedException;
  }

  private record Event(long atNanos, Step step) {}

  private record ActiveFault(String nemesis, Fault fault) {}

  Round(int number, Schedule.RoundPlan plan, Arena arena, Instruments instruments) {
    this.number = number;
    this.plan = plan;
    this.arena = arena;
    this.instruments = instruments;
  }

  /** Runs the round and heals all of its faults; blocks until it has ended. */
  RoundResult run(TortureClients clients, long seed) throws IOException, InterruptedException {
    HistoryRecorder recorder = new HistoryRecorder();
    Load load = new Load(clients.recordingClients(recorder, instruments.operationCounts()));
    try {
      instruments.availability().resume();
      String keys = "r" + number;
      arena.beginRound(keys);
      load.start(Workloads.all(keys), seed);
      injectAndHeal();
      Optional<String> problem = awaitRecovery();
      sleep(LOAD_AFTER_RECOVERY);
      instruments.stage().accept("reading back");
      load.stop();
      instruments.availability().suspend();
      Optional<String> unreadable = Optional.empty();
      if (problem.isEmpty()) {
        unreadable = readBack(load, finalReads(recorder.history()));
      }
      if (problem.isEmpty() && unreadable.isEmpty()) {
        instruments.stage().accept("restoring bodies");
        unreadable = arena.awaitBodiesRestored(RECOVERY_TIMEOUT);
      }
      if (problem.isEmpty() && unreadable.isEmpty()) {
        instruments.stage().accept("comparing replicas");
        unreadable = arena.awaitReplicasEqual(RECOVERY_TIMEOUT);
      }
      return new RoundResult(number, recorder.history(), problem, unreadable);
    } finally {
      load.close();
    }
  }

  private void injectAndHeal() throws InterruptedException {
    long start = System.nanoTime();
    for (Schedule.Injection injection : plan.injections()) {
      events.add(new Event(start + injection.at().toNanos(), () -> inject(injection)));
    }
    try {
      while (!events.isEmpty()) {
        Event next = events.poll();
        sleep(Duration.ofNanos(next.atNanos() - System.nanoTime()));
        next.step().run();
      }
      sleep(Duration.ofNanos(start + plan.lengthMin().toNanos() - System.nanoTime()));
    } finally {
      List<ActiveFault> remaining = new ArrayList<>(activeFaults);
      remaining.sort(Comparator.comparing(fault -> fault.fault().needsMajority()));
      for (ActiveFault fault : remaining) {
        heal(fault);
      }
    }
  }

  private void inject(Schedule.Injection injection) throws InterruptedException {
    Nemesis nemesis = injection.nemesis();
    String name = nemesis.name();
    instruments.stage().accept(name);
    instruments.availability().faultBegan(name);
    instruments.progressCheck().beforeInjection(nemesis, plan.injections().size() == 1);
    Optional<Fault> fault = Optional.empty();
    try {
      fault = nemesis.inject(arena, new Random(injection.seed()));
      if (fault.isEmpty()) {
        instruments.faults().missed(name, "there is no suitable target");
      }
    } catch (IOException | ClusterException e) {
      instruments.faults().missed(name, e.toString());
    }
    if (fault.isEmpty()) {
      instruments.availability().faultEnded(name);
      return;
    }
    instruments.faults().injected(name, fault.get().description());
    instruments.progressCheck().afterInjection(nemesis);
    ActiveFault injected = new ActiveFault(name, fault.get());
    activeFaults.add(injected);
    events.add(
        new Event(
            System.nanoTime() + injection.duration().toNanos(), () -> healIfPossible(injected)));
  }

  private void healIfPossible(ActiveFault injected) throws InterruptedException {
    // Otherwise it is healed at the end of the round, after the others.
    if (!injected.fault().needsMajority() || activeFaults.equals(List.of(injected))) {
      heal(injected);
    }
  }

  /** Heals a fault; what is not as the fault requires then is a finding. */
  private void heal(ActiveFault injected) throws InterruptedException {
    if (activeFaults.remove(injected)) {
      instruments.stage().accept("healing " + injected.nemesis());
      instruments.progressCheck().beforeHealing(number);
      try {
        injected.fault().healing().heal();
        instruments.faults().note("healed " + injected.nemesis());
      } catch (IOException e) {
        String failure =
            String.format(Locale.ROOT, "After %s: %s.", injected.nemesis(), e.getMessage());
        instruments.faults().note(failure);
        failedHealings.add(failure);
      }
      instruments.availability().faultEnded(injected.nemesis());
    }
  }

  /** Blocks until all nodes and regions serve; returns a sentence if they do not recover. */
  private Optional<String> awaitRecovery() throws IOException, InterruptedException {
    instruments.stage().accept("recovering");
    if (!failedHealings.isEmpty()) {
      arena.endSupervision();
      return Optional.of(String.join(" ", failedHealings));
    }
    long endNanos = System.nanoTime() + RECOVERY_TIMEOUT.toNanos();
    try {
      while (true) {
        Optional<String> ended = restartSupervised();
        if (ended.isPresent()) {
          return ended;
        }
        try {
          arena.cluster().awaitServing(remaining(endNanos));
          awaitReady(endNanos);
          instruments.faults().note("all serve");
          return Optional.empty();
        } catch (ClusterException.NotServing e) {
          instruments.faults().note(e.getMessage());
          if (System.nanoTime() > endNanos || allAlive()) {
            return Optional.of("After all faults were healed: " + e.getMessage());
          }
        }
      }
    } finally {
      arena.endSupervision();
    }
  }

  /** A majority is enough to serve all regions; this waits for the other nodes too. */
  private void awaitReady(long endNanos) throws InterruptedException {
    for (NodeProcess node : arena.cluster().nodes()) {
      if (!arena.awaitReady(node, remaining(endNanos))) {
        throw new ClusterException.NotServing(
            node.isAlive()
                ? String.format(
                    Locale.ROOT,
                    "Node %s did not accept clients within %d s.",
                    node.plan().id(),
                    RECOVERY_TIMEOUT.toSeconds())
                : String.format(
                    Locale.ROOT,
                    "Node %s ended before it accepted clients: %s",
                    node.plan().id(),
                    node.lastSentence()));
      }
    }
  }

  private static Duration remaining(long endNanos) {
    return Duration.ofNanos(Math.max(1, endNanos - System.nanoTime()));
  }

  /**
   * Starts nodes that ended because of a fault of this round; returns a sentence if a node ended
   * without such a reason.
   */
  private Optional<String> restartSupervised() throws IOException {
    for (NodeProcess node : arena.cluster().nodes()) {
      if (!node.isAlive()) {
        String ended = "Node " + node.plan().id() + " ended by itself: " + node.lastSentence();
        if (!arena.isSupervised(node)) {
          return Optional.of(ended);
        }
        instruments.faults().note(ended + " It is restarted.");
        node.start();
      }
    }
    return Optional.empty();
  }

  private boolean allAlive() {
    return arena.cluster().nodes().stream().allMatch(NodeProcess::isAlive);
  }

  /**
   * Repeats the reads that fail: a value that no read ever returns is lost, although no result of
   * any operation contradicts that.
   *
   * @return a sentence if some still fail while every region serves other requests
   */
  private Optional<String> readBack(Load load, Collection<Action> reads)
      throws InterruptedException {
    long endNanos = System.nanoTime() + READ_BACK_TIMEOUT.toNanos();
    List<Action> failed = load.perform(reads);
    while (!failed.isEmpty() && System.nanoTime() < endNanos) {
      instruments.faults().note(failed.size() + " reads failed, such as " + failed.get(0));
      sleep(LOAD_AFTER_RECOVERY);
      arena.cluster().awaitServing(RECOVERY_TIMEOUT);
      failed = load.perform(failed);
    }
    return failed.isEmpty()
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "%d of %d reads failed for %d s after the cluster had recovered, such as %s.",
                failed.size(),
                reads.size(),
                READ_BACK_TIMEOUT.toSeconds(),
                failed.get(0)));
  }

  /** A get of every key and every scan of the history: only a later read reveals a lost write. */
  private static Collection<Action> finalReads(History history) {
    Set<String> keys = new TreeSet<>();
    Set<Action> reads = new LinkedHashSet<>();
    for (Operation operation : history.operations()) {
      keys.addAll(operation.action().keys());
      if (operation.action().isRead()) {
        reads.add(operation.action());
      }
    }
    keys.forEach(key -> reads.add(new Action.Get(key)));
    return reads;
  }

  private static void sleep(Duration time) throws InterruptedException {
    // A latch that is never counted down does not return early.
    if (!time.isNegative()) {
      new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
    }
  }
}
