package io.quorate.torture.testbed.network;

import io.quorate.common.ShutdownHook;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.ClusterPlan;
import io.quorate.server.localcluster.Launch;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.torture.testbed.process.Programs;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A network of this machine in which each node has an interface of limited bandwidth, as if it were
 * a machine of its own: a network namespace for each node, and one with a bridge that connects them
 * and this process. The bandwidth is that of each direction of an interface, and of everything that
 * the node sends and receives, including responses to clients. Not thread-safe.
 *
 * <p>Requires Linux, the programs of iproute2 and {@code nsenter}, and the rights to create network
 * namespaces.
 */
public final class LimitedNetwork implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LimitedNetwork.class);

  /** In a range that is reserved for tests of networks. */
  private static final String SUBNET = "198.18.";

  private static final String BRIDGE = "bridge0";
  private static final int HOST_NUMBER = 254;
  private static final int SUBNETS = 250;

  /** More than the largest packet. */
  private static final String BURST = "128kb";

  /** How long a packet waits before it is dropped. */
  private static final String LATENCY_MAX = "50ms";

  private final String name;
  private final String subnet;
  private final int nodes;
  private final ShutdownHook closeWithJvm = new ShutdownHook("network-close", this::close);

  private LimitedNetwork(int nodes) {
    long pid = ProcessHandle.current().pid();
    this.name = "qr" + pid;
    this.subnet = SUBNET + pid % SUBNETS + ".";
    this.nodes = nodes;
  }

  /** The reason why this system cannot run such a network, as a clause; empty if it can. */
  public static Optional<String> obstacle() {
    try {
      open(1, 1).close();
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          "it needs Linux, iproute2, and the right to create network namespaces ("
              + e.getMessage()
              + ")");
    }
  }

  /**
   * Creates the network, which the caller closes after its clusters.
   *
   * @param nodes number of nodes of each cluster, 1 or more
   * @param megabitsPerSecond bandwidth of each node in each direction, 1 or more
   * @throws IOException if the system refuses it; nothing is left then
   */
  public static LimitedNetwork open(int nodes, int megabitsPerSecond) throws IOException {
    LimitedNetwork network = new LimitedNetwork(nodes);
    network.closeWithJvm.register();
    try {
      network.create(megabitsPerSecond);
      return network;
    } catch (IOException e) {
      network.close();
      throw e;
    }
  }

  private void create(int megabitsPerSecond) throws IOException {
    String bridge = namespace(0);
    Programs.run("ip", "netns", "add", bridge);
    Programs.run("ip", "-n", bridge, "link", "add", "name", BRIDGE, "type", "bridge");
    Programs.run("ip", "-n", bridge, "link", "set", "dev", BRIDGE, "up");
    Programs.run(
        "ip", "link", "add", "name", name, "type", "veth", "peer", "name", "p0", "netns", bridge);
    Programs.run("ip", "-n", bridge, "link", "set", "dev", "p0", "master", BRIDGE, "up");
    Programs.run("ip", "address", "add", subnet + HOST_NUMBER + "/24", "dev", name);
    Programs.run("ip", "link", "set", "dev", name, "up");
    for (int number = 1; number <= nodes; number++) {
      String node = namespace(number);
      String port = "p" + number;
      Programs.run("ip", "netns", "add", node);
      Programs.run(
          "ip", "-n", bridge, "link", "add", "name", port, "type", "veth", "peer", "name", "eth0",
          "netns", node);
      Programs.run("ip", "-n", bridge, "link", "set", "dev", port, "master", BRIDGE, "up");
      Programs.run("ip", "-n", node, "address", "add", subnet + number + "/24", "dev", "eth0");
      Programs.run("ip", "-n", node, "link", "set", "dev", "lo", "up");
      Programs.run("ip", "-n", node, "link", "set", "dev", "eth0", "up");
      limit(node, "eth0", megabitsPerSecond);
      limit(bridge, port, megabitsPerSecond);
    }
  }

  /** Limits what is sent through an interface. */
  private static void limit(String namespace, String device, int megabitsPerSecond)
      throws IOException {
    String limit =
        String.format(
            Locale.ROOT,
            "tc -n %s qdisc add dev %s root tbf rate %dmbit burst %s latency %s",
            namespace,
            device,
            megabitsPerSecond,
            BURST,
            LATENCY_MAX);
    Programs.run(limit.split(" "));
  }

  /** Returns a copy of the plan in which the nodes have addresses of this network. */
  public ClusterPlan connected(ClusterPlan plan) {
    List<NodeId> ids = plan.nodes().stream().map(NodePlan::id).toList();
    return plan.withHosts(id -> subnet + (ids.indexOf(id) + 1));
  }

  /**
   * The additions with which a node of a plan from {@link #connected} is a part of this network.
   *
   * @param settings of the node
   */
  public Launch launch(NodePlan node, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(settings);
    all.put("node.bind", "0.0.0.0");
    all.put("security", "off");
    String number = node.host().substring(subnet.length());
    return new Launch(
        List.of("nsenter", "--net=/run/netns/" + namespace(Integer.parseInt(number))),
        List.of(),
        Map.of(),
        all);
  }

  private String namespace(int number) {
    return name + "-" + number;
  }

  /** Removes the network; nodes that still run cannot be reached any more. */
  @Override
  public void close() {
    // A namespace ends some time after its deletion, and the next network needs this name.
    delete("ip", "link", "delete", "dev", name);
    for (int number = 0; number <= nodes; number++) {
      // The other interfaces end with their namespace, and with their other end.
      delete("ip", "netns", "delete", namespace(number));
    }
    closeWithJvm.close();
  }

  private static void delete(String... command) {
    try {
      Programs.run(command);
    } catch (IOException e) {
      LOG.debug("A part of a network is not deleted; it may not have been created", e);
    }
  }
}
