package io.quorate.torture.run;

import io.quorate.server.localcluster.ClusterException;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.FileTree;
import io.quorate.server.localcluster.Launch;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.localcluster.Ports;
import io.quorate.server.localcluster.ProcessCluster;
import io.quorate.torture.canary.Canary;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Equipment;
import io.quorate.torture.nemesis.arena.Expectation;
import io.quorate.torture.nemesis.arena.FailpointOrders;
import io.quorate.torture.nemesis.arena.Need;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.testbed.agent.AgentJar;
import io.quorate.torture.testbed.network.Network;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Starts a cluster, runs rounds of workloads under faults on it, checks each round, and removes the
 * cluster. {@link #run} is called once, by one thread; {@link #progress} by any thread.
 */
public final class Torture {
  private static final Duration START_TIMEOUT = Duration.ofSeconds(180);

  /** Progress is judged in processes whose code has been compiled. */
  private static final Duration WARM_UP = Duration.ofSeconds(15);

  /** The number of the warm-up, which has no faults and does not count as a round. */
  private static final int WARM_UP_ROUND = 0;

  private static final int CLIENTS = 32;

  /**
   * Rows reach files, and files are compacted, within seconds, and the cache holds little:
   * otherwise every row would be read from memory. Most values are in blob files. Coded
   * replication, where it is configured, codes the large values of the workloads.
   */
  private static final Map<String, String> SMALL_STORAGE =
      Map.of(
          "storage.block-cache", "1MiB",
          "storage.blob-size-min", "4B",
          "storage.write-buffer", "1MiB",
          "storage.flush-interval", "500ms",
          "storage.body-sweep-interval", "1s",
          "storage.body-repair-interval", "1s",
          "storage.body-scrub-interval", "2s",
          "raft.coded.min-value", "1KiB");

  private final TortureOptions options;
  private final Availability availability = new Availability(System::nanoTime);
  private final OperationCounts operationCounts = new OperationCounts(availability);
  private final Map<String, String> obstacles = new TreeMap<>();
  private final List<String> problems = new ArrayList<>();
  private final List<String> unreadable = new ArrayList<>();
  private final long startNanos = System.nanoTime();
  private ProgressCheck progressCheck;
  private volatile String stage = "starting";
  private volatile int round = WARM_UP_ROUND;

  /** The progress of a run. */
  public record Progress(int round, String stage, long operations, Duration elapsed) {}

  public Torture(TortureOptions options) {
    this.options = options;
  }

  public Progress progress() {
    return new Progress(
        round,
        stage,
        operationCounts.operations(),
        Duration.ofNanos(System.nanoTime() - startNanos));
  }

  /**
   * Runs the torture; blocks until it has ended.
   *
   * @throws ClusterException if the cluster cannot be started; its files are deleted then unless
   *     they are to be kept
   * @throws IOException if files or relays of the harness fail
   */
  public TortureResult run() throws IOException, InterruptedException {
    Network.obstacle()
        .ifPresent(
            obstacle -> {
              throw new ClusterException("Torture does not run here: " + obstacle + ".");
            });
    Path directory = directory();
    Files.writeString(directory.resolve("seed"), options.seed() + "\n");
    TortureResult result;
    boolean keepsFiles = true;
    try {
      result = run(directory);
      keepsFiles = options.keep().isPresent() || !result.isPass();
    } catch (ClusterException e) {
      keepsFiles = options.keep().isPresent();
      throw e;
    } finally {
      if (!keepsFiles) {
        FileTree.delete(directory);
      }
    }
    return result;
  }

  private Path directory() throws IOException {
    if (options.keep().isPresent()) {
      return Files.createDirectories(options.keep().get().toAbsolutePath());
    }
    return Files.createTempDirectory("quorate-torture-");
  }

  private TortureResult run(Path directory) throws IOException, InterruptedException {
    ClusterPlan plan =
        Network.relayed(ClusterPlan.of(directory, "torture", options.shape(), new Ports.Free()));
    AgentJar agent = AgentJar.in(directory);
    Set<Need> needs = EnumSet.noneOf(Need.class);
    options.nemeses().forEach(nemesis -> needs.addAll(nemesis.needs()));
    try (Equipment equipment = Equipment.of(plan, needs);
        ProcessCluster cluster = ProcessCluster.of(plan, node -> launch(agent, equipment, node));
        Network network = Network.of(cluster);
        FaultLog faults = new FaultLog(directory.resolve("faults.log"));
        HistoryChecks checks = new HistoryChecks(directory, options.keep().isPresent())) {
      cluster.start();
      cluster.awaitServing(START_TIMEOUT);
      try (Arena arena = new Arena(cluster, network, equipment, faults::note);
          TortureClients clients = new TortureClients(plan, CLIENTS);
          ProgressProbe probe = new ProgressProbe(plan, arena.keyOfEachRegion());
          MachineDisk disk = MachineDisk.of(directory)) {
        progressCheck = new ProgressCheck(probe.progress(), disk, options.gapMax());
        runRounds(arena, clients, faults, checks);
      }
      stage = "checking";
      checks.finish();
      return result(directory, faults, checks);
    }
  }

  private Launch launch(AgentJar agent, Equipment equipment, NodePlan node) {
    Map<String, String> settings = new HashMap<>(SMALL_STORAGE);
    settings.putAll(equipment.settings());
    options.canary().ifPresent(canary -> settings.putAll(canary.settings()));
    settings.putAll(options.settings());
    String flag = agent.flag(FailpointOrders.file(node), options.canary().map(Canary::defect));
    // A node whose code is compiled twice spends most of its time after a restart on that, where
    // cores are few.
    List<String> flags = List.of(flag, Launch.FIRST_COMPILER_ONLY);
    return new Launch(flags, equipment.environment(node), settings);
  }

  private void runRounds(Arena arena, TortureClients clients, FaultLog faults, HistoryChecks checks)
      throws IOException, InterruptedException {
    Round.Instruments instruments =
        new Round.Instruments(
            operationCounts, availability, progressCheck, faults, current -> stage = current);
    List<Nemesis> possible = possible(arena);
    if (possible.isEmpty()) {
      throw new ClusterException("None of the requested faults can be injected here.");
    }
    Schedule schedule = new Schedule(options.seed(), possible);
    if (possible.stream().anyMatch(nemesis -> nemesis.expectation() != Expectation.SAFETY)) {
      runRound(Schedule.RoundPlan.withoutFaults(WARM_UP), arena, clients, instruments, checks);
      if (hasFinding(checks)) {
        return;
      }
    }
    long endNanos = System.nanoTime() + options.time().toNanos();
    do {
      round++;
      runRound(schedule.next(), arena, clients, instruments, checks);
    } while (System.nanoTime() < endNanos && !hasFinding(checks));
  }

  private boolean hasFinding(HistoryChecks checks) {
    return !problems.isEmpty() || !unreadable.isEmpty() || checks.foundViolation();
  }

  private void runRound(
      Schedule.RoundPlan plan,
      Arena arena,
      TortureClients clients,
      Round.Instruments instruments,
      HistoryChecks checks)
      throws IOException, InterruptedException {
    String name = name(round);
    instruments.faults().note(name.toLowerCase(Locale.ROOT));
    Round.RoundResult result =
        new Round(round, plan, arena, instruments).run(clients, options.seed().number() + round);
    result.problem().ifPresent(problem -> problems.add(name + ": " + problem));
    result.unreadable().ifPresent(reads -> unreadable.add(name + ": " + reads));
    checks.submit(result);
  }

  private static String name(int round) {
    return round == WARM_UP_ROUND ? "Warm-up" : "Round " + round;
  }

  private List<Nemesis> possible(Arena arena) {
    List<Nemesis> possible = new ArrayList<>();
    for (Nemesis nemesis : options.nemeses()) {
      Optional<String> obstacle = nemesis.obstacle(arena);
      if (obstacle.isPresent()) {
        obstacles.put(nemesis.name(), obstacle.get());
      } else {
        possible.add(nemesis);
      }
    }
    return possible;
  }

  private TortureResult result(Path directory, FaultLog faults, HistoryChecks checks) {
    List<String> findings = new ArrayList<>(problems);
    findings.addAll(unreadable);
    TortureResult.Verdict verdict = TortureResult.Verdict.LINEARIZABLE;
    for (HistoryChecks.CheckedRound checked : checks.rounds()) {
      verdict = worse(verdict, of(checked));
      String name = name(checked.round()) + ": ";
      checked.violatedInvariants().forEach(invariant -> findings.add(name + invariant));
      if (!checked.verdict().isPass()) {
        findings.add(name + checked.verdict());
      }
    }
    operationCounts.unexpectedFailure().ifPresent(findings::add);
    findings.addAll(progressCheck.findings());
    if (!progressCheck.findings().isEmpty()
        || !problems.isEmpty()
        || operationCounts.unexpectedFailure().isPresent()) {
      verdict = worse(verdict, TortureResult.Verdict.BROKEN);
    }
    if (!unreadable.isEmpty()) {
      verdict = worse(verdict, TortureResult.Verdict.UNREADABLE);
    }
    boolean keepsFiles =
        options.keep().isPresent() || verdict != TortureResult.Verdict.LINEARIZABLE;
    return new TortureResult(
        options.seed(),
        (int) checks.rounds().stream().filter(checked -> checked.round() != WARM_UP_ROUND).count(),
        operations(),
        faults(faults.counts()),
        verdict,
        findings,
        progressCheck.unjudged(),
        keepsFiles ? Optional.of(directory) : Optional.empty());
  }

  private static TortureResult.Verdict of(HistoryChecks.CheckedRound checked) {
    if (checked.isViolation()) {
      return TortureResult.Verdict.VIOLATION;
    }
    return checked.isPass() ? TortureResult.Verdict.LINEARIZABLE : TortureResult.Verdict.UNKNOWN;
  }

  private static TortureResult.Verdict worse(TortureResult.Verdict a, TortureResult.Verdict b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  private Map<String, TortureResult.Operations> operations() {
    Map<String, TortureResult.Operations> operations = new LinkedHashMap<>();
    operationCounts
        .byKind()
        .forEach(
            (kind, counts) ->
                operations.put(
                    kind,
                    new TortureResult.Operations(
                        counts.ok(), counts.failed(), counts.indeterminate())));
    return operations;
  }

  private Map<String, TortureResult.Faults> faults(Map<String, FaultLog.Counts> counts) {
    Map<String, Duration> withoutService = availability.longest();
    Map<String, TortureResult.Faults> faults = new LinkedHashMap<>();
    faults.put(
        Availability.NO_FAULT,
        faults(new FaultLog.Counts(0, 0), Availability.NO_FAULT, withoutService));
    for (Nemesis nemesis : options.nemeses()) {
      String name = nemesis.name();
      faults.put(
          name, faults(counts.getOrDefault(name, new FaultLog.Counts(0, 0)), name, withoutService));
    }
    return faults;
  }

  private TortureResult.Faults faults(
      FaultLog.Counts counts, String name, Map<String, Duration> withoutService) {
    return new TortureResult.Faults(
        counts.injected(),
        counts.missed(),
        Optional.ofNullable(obstacles.get(name)),
        withoutService.getOrDefault(name, Duration.ZERO),
        progressCheck.longestGap(name));
  }
}
