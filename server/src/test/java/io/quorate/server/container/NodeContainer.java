package io.quorate.server.container;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.model.Bind;
import com.github.dockerjava.api.model.ContainerNetwork;
import com.github.dockerjava.api.model.Volume;
import io.quorate.server.localcluster.Ports.NodePorts;
import java.time.Duration;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;

/**
 * One node of a cluster of containers. Its ports are published through one network, and the nodes
 * resolve each other's names on another one, so that a node can be disconnected from the others and
 * still receive requests.
 *
 * <p>Its data is in a volume that outlives the container. {@link #stop} is not graceful: it kills
 * the process and removes the container.
 */
final class NodeContainer extends GenericContainer<NodeContainer> {
  private static final Duration STARTUP_TIMEOUT = Duration.ofSeconds(120);
  private static final int STOP_SECONDS_MAX = 30;

  private final String id;
  private final NodePorts ports;
  private final Network data;

  /** The networks of a node: {@code control} to clients, {@code data} to the other nodes. */
  record Networks(Network control, Network data) {}

  /**
   * @param configuration the same for every node; takes the node's id from the environment
   */
  NodeContainer(
      String image,
      String id,
      NodePorts ports,
      Networks networks,
      String volume,
      String configuration) {
    super(image);
    this.id = id;
    this.ports = ports;
    this.data = networks.data();
    withNetwork(networks.control());
    withEnv("QUORATE_NODE_ID", id);
    // Nodes of tests run for seconds; the second compiler does not pay off.
    withEnv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");
    withCopyToContainer(Transferable.of(configuration), "/etc/quorate/quorate.conf");
    withCreateContainerCmdModifier(
        command ->
            command.getHostConfig().withBinds(new Bind(volume, new Volume("/var/lib/quorate"))));
    addFixedExposedPort(ports.client(), ports.client());
    addExposedPort(ports.admin());
    waitingFor(Wait.forHttp("/health").forPort(ports.admin()).withStartupTimeout(STARTUP_TIMEOUT));
  }

  /** The host name of a node, on this machine and at the other nodes. */
  static String host(String id) {
    return id + ".quorate";
  }

  /** The node's id in its cluster. */
  String id() {
    return id;
  }

  /** The address for clients on this machine, as {@code host:port}. */
  String clientAddress() {
    return host(id) + ":" + ports.client();
  }

  int clientPort() {
    return ports.client();
  }

  @Override
  protected void containerIsCreated(String containerId) {
    reconnect();
  }

  /** Disconnects the node from the others in both directions; neither side is notified. */
  void disconnect() {
    engine()
        .disconnectFromNetworkCmd()
        .withContainerId(getContainerId())
        .withNetworkId(data.getId())
        .exec();
  }

  /** Undoes {@link #disconnect}. */
  void reconnect() {
    engine()
        .connectToNetworkCmd()
        .withContainerId(getContainerId())
        .withNetworkId(data.getId())
        .withContainerNetwork(new ContainerNetwork().withAliases(host(id)))
        .exec();
  }

  /** Stops the node gracefully, as "docker stop" does, and removes the container. Blocks. */
  void stopGracefully() {
    engine().stopContainerCmd(getContainerId()).withTimeout(STOP_SECONDS_MAX).exec();
    stop();
  }

  private DockerClient engine() {
    return getDockerClient();
  }
}
