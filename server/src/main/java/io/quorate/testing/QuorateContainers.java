package io.quorate.testing;

import io.quorate.client.ClientOptions;
import io.quorate.client.cluster.NodeAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.testcontainers.containers.Network;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.lifecycle.Startable;
import org.testcontainers.lifecycle.Startables;
import org.testcontainers.utility.DockerImageName;

/**
 * A cluster of several nodes, each in a container, in a network of their own. Unlike the nodes of
 * an {@link EmbeddedCluster} they fail one by one: a test kills, pauses or disconnects the
 * container of a {@linkplain #node node}.
 *
 * <pre>{@code
 * try (QuorateContainers cluster = new QuorateContainers("quorate:0.1.0", 3)) {
 *   cluster.start();
 *   try (QuorateClient client = QuorateClient.connect(cluster.options())) {
 *     client.put("greeting", "hello");
 *   }
 * }
 * }</pre>
 *
 * <p>Its regions begin as those of an {@link EmbeddedCluster}. Its ports are published as those of
 * a {@link QuorateContainer}. For use by one thread at a time.
 */
public final class QuorateContainers implements Startable {
  private static final int NODES_MAX = 9;
  private static final int REPLICAS_MAX = 3;

  private final Network network = Network.newNetwork();
  private final List<QuorateContainer> nodes;

  /**
   * @param image the name of an image built with Quorate's Dockerfile, such as {@code
   *     quorate:0.1.0}
   * @param nodes the number of nodes, 1 to 9; 3 or 5 to test the failure of nodes
   */
  public QuorateContainers(String image, int nodes) {
    this(DockerImageName.parse(image), nodes);
  }

  /** As {@link #QuorateContainers(String, int)}. */
  public QuorateContainers(DockerImageName image, int nodes) {
    if (nodes < 1 || nodes > NODES_MAX) {
      throw new IllegalArgumentException(
          "A cluster of containers has 1 to " + NODES_MAX + " nodes, not " + nodes + ".");
    }
    String configuration = configuration(nodes);
    this.nodes = IntStream.range(0, nodes).mapToObj(i -> node(image, i, configuration)).toList();
  }

  private QuorateContainer node(DockerImageName image, int number, String configuration) {
    return new QuorateContainer(image)
        .withNetwork(network)
        .withNetworkAliases(name(number))
        .withEnv("QUORATE_NODE_ID", name(number))
        .withCopyToContainer(Transferable.of(configuration), "/etc/quorate/quorate.conf");
  }

  private static String name(int number) {
    return "n" + (number + 1);
  }

  private static String configuration(int nodes) {
    String members =
        IntStream.range(0, nodes)
            .mapToObj(
                i ->
                    String.format(
                        Locale.ROOT,
                        "      { id = %1$s, host = %1$s, client-port = %2$d, consensus-port = %3$d, admin-port = %4$d }%n",
                        name(i),
                        QuorateContainer.CLIENT_PORT,
                        QuorateContainer.CONSENSUS_PORT,
                        QuorateContainer.ADMIN_PORT))
            .collect(Collectors.joining());
    return String.format(
        Locale.ROOT,
        """
        quorate {
          cluster {
            id = containers
            nodes = [
        %s    ]
            split-keys = [ %s ]
            replicas = %d
          }
          node { id = ${QUORATE_NODE_ID}, data = "/var/lib/quorate" }
          storage.free-space-min = 0B
          admin.bind = "0.0.0.0"
          # Only programs on this machine reach the ports.
          security = off
        }
        """,
        members,
        String.join(", ", RegionStarts.evenly(EmbeddedCluster.REGIONS)),
        Math.min(REPLICAS_MAX, nodes));
  }

  /** Starts all nodes and waits until they are healthy. Blocks. */
  @Override
  public void start() {
    try {
      Startables.deepStart(nodes).join();
    } catch (RuntimeException e) {
      stop();
      throw e;
    }
  }

  /** Returns the number of nodes. */
  public int size() {
    return nodes.size();
  }

  /**
   * Returns the container of a node, {@code n1} being the first; stopping it removes its data.
   *
   * @param number the number of the node, from 0
   */
  public QuorateContainer node(int number) {
    return nodes.get(Objects.checkIndex(number, nodes.size()));
  }

  /** Returns the default client options with the addresses of the nodes, once these are started. */
  public ClientOptions options() {
    Map<NodeAddress, NodeAddress> published =
        IntStream.range(0, nodes.size())
            .boxed()
            .collect(
                Collectors.toMap(
                    i -> new NodeAddress(name(i), QuorateContainer.CLIENT_PORT),
                    i -> nodes.get(i).address()));
    List<String> seeds = new ArrayList<>();
    published.values().forEach(address -> seeds.add(address.toString()));
    return ClientOptions.builder(String.join(",", seeds))
        .addressMapping(reported -> published.getOrDefault(reported, reported))
        .build();
  }

  /** Removes the containers with their data, and the network. Blocks. */
  @Override
  public void stop() {
    nodes.forEach(QuorateContainer::stop);
    network.close();
  }

  @Override
  public void close() {
    stop();
  }
}
