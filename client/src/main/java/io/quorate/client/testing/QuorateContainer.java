package io.quorate.client.testing;

import io.quorate.client.ClientOptions;
import io.quorate.client.NodeAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
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
 * <p>A node reports its address to clients, so the port must be known before the container exists:
 * a free port of this machine is chosen, and it is the same inside and outside of the container.
 * Stopping removes the container with its data; starting it again creates an empty node at the same
 * address.
 */
public final class QuorateContainer extends GenericContainer<QuorateContainer> {
  private static final int ADMIN_PORT = 7201;
  private static final Duration STARTUP_TIMEOUT = Duration.ofMinutes(2);

  // Below the range of ephemeral ports.
  private static final int PORT_LOWEST = 12_000;
  private static final int PORT_COUNT = 18_000;
  private static final int PORT_TRIES = 1_000;

  private final int clientPort;

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
    clientPort = freePort();
    addFixedExposedPort(clientPort, clientPort);
    addExposedPort(ADMIN_PORT);
    withEnv("QUORATE_CLIENT_PORT", Integer.toString(clientPort));
    // Faster to start; the container is too short-lived for the C2 compiler to pay off.
    withEnv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");
    waitingFor(Wait.forHttp("/health").forPort(ADMIN_PORT).withStartupTimeout(STARTUP_TIMEOUT));
  }

  @Override
  protected void configure() {
    withEnv("QUORATE_HOST", getHost());
  }

  /** Returns the client address of the node, as {@code host:port}. */
  public String clientAddress() {
    return new NodeAddress(getHost(), clientPort).toString();
  }

  /** Returns the default client options with the address of this node. */
  public ClientOptions options() {
    return ClientOptions.of(clientAddress());
  }

  private static int freePort() {
    for (int i = 0; i < PORT_TRIES; i++) {
      int port = PORT_LOWEST + ThreadLocalRandom.current().nextInt(PORT_COUNT);
      try (ServerSocket socket = new ServerSocket(port)) {
        return socket.getLocalPort();
      } catch (BindException e) {
        // The port is taken; another one may be free.
        continue;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    throw new IllegalStateException(
        "There is no free TCP port from "
            + PORT_LOWEST
            + " to "
            + (PORT_LOWEST + PORT_COUNT - 1)
            + ".");
  }
}
