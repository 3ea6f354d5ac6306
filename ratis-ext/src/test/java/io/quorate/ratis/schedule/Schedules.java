package io.quorate.ratis.schedule;

import io.quorate.model.Key;
import io.quorate.ratis.schedule.Write.Fate;
import io.quorate.storage.read.StoredCut;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

/** Runs schedules one after the other against one cluster. */
final class Schedules implements AutoCloseable {
  private final ScheduleCluster cluster;
  private final Map<Fault.Kind, Integer> injected = new EnumMap<>(Fault.Kind.class);
  private final Map<Fate, Integer> writes = new EnumMap<>(Fate.class);
  private Map<Key, Write> last = Map.of();
  private int reads;
  private int leaders;

  Schedules(Path directory, int nodes) {
    cluster = new ScheduleCluster(directory, nodes);
  }

  /**
   * Runs the schedule of a seed. The faults follow from the seed, the interleaving of threads does
   * not.
   *
   * @return what went wrong
   */
  List<String> run(long seed) throws IOException, InterruptedException {
    Random random = new Random(seed);
    List<Fault> faults = Fault.draw(random, cluster.nodes().size(), cluster.faults());
    List<String> problems = new CopyOnWriteArrayList<>();
    long term = term(cluster.awaitLeader());
    Ledger ledger = new Ledger(last, System.nanoTime());
    Load load = new Load(cluster, ledger);
    load.start(random);
    inject(faults, problems);
    problems.addAll(load.stop());
    verify(load, ledger, random, problems);
    count(faults, ledger, term);
    problems.addAll(cluster.problems());
    return problems.isEmpty() ? List.of() : described(seed, faults, problems);
  }

  private static long term(ScheduleNode node) {
    return node.running().map(running -> running.group().view().epoch()).orElse(0L);
  }

  private static List<String> described(long seed, List<Fault> faults, List<String> problems) {
    List<String> all = new ArrayList<>(List.of("Seed " + seed + ": " + faults));
    all.addAll(problems);
    return all;
  }

  private void inject(List<Fault> faults, List<String> problems) throws InterruptedException {
    List<Thread> injections =
        faults.stream()
            .map(fault -> new Thread(new Injection(cluster, fault, problems), "fault"))
            .toList();
    injections.forEach(Thread::start);
    for (Thread injection : injections) {
      injection.join();
    }
    cluster.faults().heal();
  }

  private void verify(Load load, Ledger ledger, Random random, List<String> problems)
      throws IOException, InterruptedException {
    Verification verification = new Verification(cluster, problems);
    Optional<StoredCut> state = verification.converge(load.mark());
    if (state.isEmpty()) {
      return;
    }
    Map<Key, ByteBuffer> values = verification.values(state.get());
    problems.addAll(ledger.checkReads());
    last = ledger.checkFinal(values, problems);
    verification.readWithoutSome(random, values);
  }

  private void count(List<Fault> faults, Ledger ledger, long termBefore) {
    faults.forEach(fault -> injected.merge(fault.kind(), 1, Integer::sum));
    for (Fate fate : Fate.values()) {
      writes.merge(fate, ledger.count(fate), Integer::sum);
    }
    reads += ledger.reads();
    leaders += cluster.leader().filter(leader -> term(leader) > termBefore).isPresent() ? 1 : 0;
  }

  ScheduleCluster cluster() {
    return cluster;
  }

  @Override
  public String toString() {
    return "faults %s; writes %s, reads %d; schedules with a new leader %d; steps reached %s"
        .formatted(injected, writes, reads, leaders, cluster.faults().reached());
  }

  @Override
  public void close() {
    cluster.close();
  }
}
