package io.quorate.testing;

import com.github.dockerjava.api.command.CreateContainerCmd;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports.Binding;
import io.quorate.client.ClientOptions;
import io.quorate.client.cluster.NodeAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * A cluster of one node in a container, for tests with Testcontainers, which is a dependency that
 * the application provides ({@code org.testcontainers:testcontainers}).
 *
 * <pre>{@code
 * try (QuorateContainer node = new QuorateContainer("quorate:0.1.0")) {
 *   node.start();
 *   try (QuorateClient client = QuorateClient.connect(node.options())) {
 *     client.put("greeting", "hello");
 *   }
 * }
 * }</pre>
 *
 * <p>The engine publishes its ports under free numbers, on the loopback address if the engine is on
 * this machine. The node reports the address that it has within the engine's network; {@link
 * #options} maps it to the published one. {@link #clientAddress} alone is not enough.
 *
 * <p>Stopping removes the container with its data; starting it again creates an empty node,
 * possibly at another address.
 */
public final class QuorateContainer extends GenericContainer<QuorateContainer> {
  static final int CLIENT_PORT = 7001;
  static final int CONSENSUS_PORT = 7101;
  static final int ADMIN_PORT = 7201;
  private static final Duration STARTUP_TIMEOUT = Duration.ofMinutes(2);

  /**
   * @param image the name of an image built with Quorate's Dockerfile, such as {@code
   *     quorate:0.1.0}
   */
  public QuorateContainer(String image) {
    this(DockerImageName.parse(image));
  }

  /**
   * @param image the name of an image built with Quorate's Dockerfile
   */
  public QuorateContainer(DockerImageName image) {
    super(image);
    addExposedPorts(CLIENT_PORT, ADMIN_PORT);
    withCreateContainerCmdModifier(this::publish);
    // Faster to start; the container is too short-lived for the C2 compiler to pay off.
    // Only programs on this machine reach the ports.
    withEnv("QUORATE_SECURITY", "off");
    withEnv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");
    waitingFor(Wait.forHttp("/health").forPort(ADMIN_PORT).withStartupTimeout(STARTUP_TIMEOUT));
  }

  /** Lets other machines not reach the ports, unless this process is on another machine itself. */
  private void publish(CreateContainerCmd command) {
    if (isThisMachine(getHost())) {
      command
          .getHostConfig()
          .withPortBindings(
              getExposedPorts().stream()
                  .map(port -> new PortBinding(Binding.bindIp("127.0.0.1"), ExposedPort.tcp(port)))
                  .toList());
    }
  }

  private static boolean isThisMachine(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /** Returns the published client address of the node, as {@code host:port}. */
  public String clientAddress() {
    return address().toString();
  }

  NodeAddress address() {
    return new NodeAddress(getHost(), getMappedPort(CLIENT_PORT));
  }

  /** Returns the default client options with the address of this node, once it is started. */
  public ClientOptions options() {
    return ClientOptions.builder(clientAddress()).addressMapping(reported -> address()).build();
  }
}
