package io.quorate.server.verification.torture;

import io.quorate.server.localcluster.ClusterException;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.FileTree;
import io.quorate.server.localcluster.Launch;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.localcluster.Ports;
import io.quorate.server.localcluster.ProcessCluster;
import io.quorate.server.verification.agent.AgentJar;
import io.quorate.server.verification.canary.Canary;
import io.quorate.server.verification.nemesis.Arena;
import io.quorate.server.verification.nemesis.Equipment;
import io.quorate.server.verification.nemesis.Need;
import io.quorate.server.verification.nemesis.Nemesis;
import io.quorate.server.verification.nemesis.PointOrders;
import io.quorate.server.verification.network.Network;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * Starts a cluster, runs rounds of workloads under faults on it, checks each, and removes the
 * cluster. {@link #run} is called once, by one thread; {@link #progress} by any.
 */
public final class Torture {
  private static final Duration START_PATIENCE = Duration.ofSeconds(90);
  private static final int CLIENTS = 32;

  private final TortureOptions options;
  private final Availability availability = new Availability(System::nanoTime);
  private final Tally tally = new Tally(availability);
  private final Map<String, String> obstacles = new TreeMap<>();
  private final List<String> problems = new ArrayList<>();
  private final long startNanos = System.nanoTime();
  private Stillness stillness;
  private volatile String stage = "starting";
  private volatile int round;

  /** How far it has come. */
  public record Progress(int round, String stage, long operations, Duration elapsed) {}

  public Torture(TortureOptions options) {
    this.options = options;
  }

  public Progress progress() {
    return new Progress(
        round, stage, tally.operations(), Duration.ofNanos(System.nanoTime() - startNanos));
  }

  /**
   * Blocks for the whole torture.
   *
   * @throws ClusterException if the cluster cannot be started; nothing is left then
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
    boolean keeps = true;
    try {
      result = run(directory);
      keeps = options.keep().isPresent() || !result.isPass();
    } catch (ClusterException e) {
      keeps = options.keep().isPresent();
      throw e;
    } finally {
      if (!keeps) {
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
        Checks checks = new Checks(directory, options.keep().isPresent())) {
      cluster.start();
      cluster.awaitServing(START_PATIENCE);
      try (Arena arena = new Arena(cluster, network, equipment);
          Crew crew = new Crew(plan, CLIENTS);
          Pulse pulse = new Pulse(plan, arena.keyOfEachRegion());
          MachineDisk disk = MachineDisk.of(directory)) {
        stillness = new Stillness(pulse.progress(), disk, options.gapMax());
        runRounds(arena, crew, faults, checks);
      }
      stage = "checking";
      checks.finish();
      return result(directory, faults, checks);
    }
  }

  private Launch launch(AgentJar agent, Equipment equipment, NodePlan node) {
    String flag = agent.flag(PointOrders.file(node), options.canary().map(Canary::defect));
    return new Launch(List.of(flag), equipment.environment(node), equipment.settings());
  }

  private void runRounds(Arena arena, Crew crew, FaultLog faults, Checks checks)
      throws IOException, InterruptedException {
    Round.Instruments instruments =
        new Round.Instruments(tally, availability, stillness, faults, now -> stage = now);
    List<Nemesis> possible = possible(arena);
    if (possible.isEmpty()) {
      throw new ClusterException("None of the faults that were asked for can be injected here.");
    }
    Schedule schedule = new Schedule(options.seed(), possible);
    long endNanos = System.nanoTime() + options.time().toNanos();
    do {
      round++;
      faults.note("round " + round);
      Round.Result result =
          new Round(round, schedule.next(), arena, instruments)
              .run(crew, options.seed().number() + round);
      result.problem().ifPresent(problem -> problems.add("Round " + round + ": " + problem));
      checks.begin(result);
    } while (System.nanoTime() < endNanos && problems.isEmpty() && !checks.foundViolation());
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

  private TortureResult result(Path directory, FaultLog faults, Checks checks) {
    List<String> findings = new ArrayList<>(problems);
    TortureResult.Verdict verdict = TortureResult.Verdict.LINEARIZABLE;
    for (Checks.Checked checked : checks.rounds()) {
      verdict = worse(verdict, of(checked));
      String round = "Round " + checked.round() + ": ";
      checked.broken().forEach(broken -> findings.add(round + broken));
      if (!checked.verdict().isPass()) {
        findings.add(round + checked.verdict());
      }
    }
    tally.surprise().ifPresent(findings::add);
    findings.addAll(stillness.findings());
    if (!stillness.findings().isEmpty() || !problems.isEmpty() || tally.surprise().isPresent()) {
      verdict = worse(verdict, TortureResult.Verdict.BROKEN);
    }
    boolean keeps = options.keep().isPresent() || verdict != TortureResult.Verdict.LINEARIZABLE;
    return new TortureResult(
        options.seed(),
        checks.rounds().size(),
        operations(),
        faults(faults.counts()),
        verdict,
        findings,
        stillness.unjudged(),
        keeps ? Optional.of(directory) : Optional.empty());
  }

  private static TortureResult.Verdict of(Checks.Checked checked) {
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
    tally
        .counts()
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
        stillness.longest(name));
  }
}
