package io.quorate.torture.nemesis;

import io.quorate.model.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.torture.nemesis.arena.Arena;
import io.quorate.torture.nemesis.arena.Fault;
import io.quorate.torture.nemesis.arena.Nemesis;
import io.quorate.torture.nemesis.arena.NodeMetrics;
import io.quorate.torture.testbed.network.BitFlips;
import io.quorate.torture.testbed.network.Link;
import io.quorate.torture.testbed.network.Network;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Flips single bits of what nodes send to each other and, in half of the cases, of what clients and
 * nodes do. Nodes must count mismatches of checksums, and close those connections.
 */
final class FlippedBits implements Nemesis {
  private static final int BYTES_MEAN_MIN = 16 << 10;
  private static final int DOUBLINGS_MAX = 5;

  /**
   * So few bits may all go unnoticed: what follows them on a connection that broke for another
   * reason is not read, and the body of a request that is refused is skipped.
   */
  private static final int UNNOTICED_MAX = 2;

  private static final Duration NOTICED_TIMEOUT = Duration.ofSeconds(15);
  private static final long POLL_PAUSE_MILLIS = 200;

  private static final String FROM_CLIENTS = "quorate_connections_altered_total";
  private static final List<String> FROM_NODES =
      List.of(
          "quorate_raft_transport_refused_connections_total",
          "quorate_rabia_transport_refused_connections_total");
  private static final String REASON = "reason=\"checksum\"";

  @Override
  public String name() {
    return "flipped-bits";
  }

  @Override
  public Optional<String> obstacle(Arena arena) {
    return arena.cluster().nodes().size() < 2
        ? Optional.of("it needs two nodes")
        : Network.obstacle();
  }

  @Override
  public Optional<Fault> inject(Arena arena, Random random) throws InterruptedException {
    boolean hitsClients = random.nextBoolean();
    int bytesMean = BYTES_MEAN_MIN << random.nextInt(DOUBLINGS_MAX + 1);
    Map<NodeProcess, ProcessHandle> processes = processes(arena);
    Map<NodeProcess, Double> before = new HashMap<>();
    for (NodeProcess node : processes.keySet()) {
      noticed(arena.metrics(node)).ifPresent(count -> before.put(node, count));
    }
    List<NodeId> nodes = arena.cluster().nodes().stream().map(node -> node.plan().id()).toList();
    BitFlips flips =
        new BitFlips(links(nodes, hitsClients), bytesMean, new Random(random.nextLong()));
    arena.network().begin(flips);
    return Optional.of(
        new Fault(
            String.format(
                Locale.ROOT,
                "flips a bit in %,d bytes between nodes%s",
                bytesMean,
                hitsClients ? ", and between clients and nodes" : ""),
            () -> {
              arena.network().end(flips);
              before.keySet().removeIf(node -> !isSame(node, processes.get(node)));
              requireNoticed(arena, flips, before);
            }));
  }

  static Set<Link> links(List<NodeId> nodes, boolean hitsClients) {
    Set<Link> links = new LinkedHashSet<>();
    for (NodeId from : nodes) {
      nodes.stream().filter(to -> !to.equals(from)).forEach(to -> links.add(new Link(from, to)));
      if (hitsClients) {
        links.add(new Link(from, Link.CLIENTS));
        links.add(new Link(Link.CLIENTS, from));
      }
    }
    return links;
  }

  private static Map<NodeProcess, ProcessHandle> processes(Arena arena) {
    Map<NodeProcess, ProcessHandle> processes = new HashMap<>();
    arena.running().forEach(node -> node.handle().ifPresent(handle -> processes.put(node, handle)));
    return processes;
  }

  private static boolean isSame(NodeProcess node, ProcessHandle process) {
    return node.handle().filter(process::equals).isPresent();
  }

  /**
   * Waits until nodes have noticed a bit, among those that respond and were not started meanwhile:
   * a new process has forgotten what the former one counted.
   */
  private static void requireNoticed(Arena arena, BitFlips flips, Map<NodeProcess, Double> before)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + NOTICED_TIMEOUT.toNanos();
    while (true) {
      List<NodeId> asked = new ArrayList<>();
      double noticed = 0;
      for (Map.Entry<NodeProcess, Double> entry : before.entrySet()) {
        Optional<Double> now = noticed(arena.metrics(entry.getKey()));
        if (now.isPresent()) {
          asked.add(entry.getKey().plan().id());
          noticed += now.get() - entry.getValue();
        }
      }
      int flipped = flips.flipped(asked);
      String counts =
          String.format(
              Locale.ROOT,
              "%d bits were flipped on the way to %s, %.0f noticed",
              flipped,
              asked,
              noticed);
      if (isPlausible(flipped, noticed)) {
        arena.note(counts);
        return;
      }
      if (System.nanoTime() - end > 0) {
        throw new IOException("No node counted a wrong checksum: " + counts);
      }
      TimeUnit.MILLISECONDS.sleep(POLL_PAUSE_MILLIS);
    }
  }

  /** Whether nodes may have noticed so few of so many flipped bits. */
  static boolean isPlausible(int flipped, double noticed) {
    return noticed > 0 || flipped <= UNNOTICED_MAX;
  }

  /** The connections that a node has closed because of a checksum; empty if it does not respond. */
  private static Optional<Double> noticed(NodeMetrics metrics) throws InterruptedException {
    return noticed(metrics.values("quorate_"));
  }

  static Optional<Double> noticed(Map<String, Double> values) {
    return values.isEmpty()
        ? Optional.empty()
        : Optional.of(
            values.entrySet().stream()
                .filter(value -> isOfChecksums(value.getKey()))
                .mapToDouble(Map.Entry::getValue)
                .sum());
  }

  private static boolean isOfChecksums(String line) {
    return line.startsWith(FROM_CLIENTS)
        || (FROM_NODES.stream().anyMatch(line::startsWith) && line.contains(REASON));
  }
}
