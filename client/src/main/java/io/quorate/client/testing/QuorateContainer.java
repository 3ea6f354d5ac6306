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
 * A cluster of one node in a container, for tests with Testcontainers, which the application brings
 * as a dependency of its own ({@code org.testcontainers:testcontainers}).
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
 * <p>A node tells clients where it is, so the port must be known before the container exists: one
 * that is free on this machine is chosen, and is the same inside and outside. Stopping removes the
 * container with its data; starting again makes an empty node at the same address.
 */
public final class QuorateContainer extends GenericContainer<QuorateContainer> {
  private static final int ADMIN_PORT = 7201;
  private static final Duration STARTUP_TIMEOUT = Duration.ofMinutes(2);

  // Below the range from which systems take the ports of outgoing connections.
  private static final int PORT_LOWEST = 12_000;
  private static final int PORT_COUNT = 18_000;
  private static final int PORT_TRIES = 1_000;

  private final int clientPort;

  /**
   * @param image the name of an image made with Quorate's Dockerfile, such as {@code quorate:0.1.0}
   */
  public QuorateContainer(String image) {
    this(DockerImageName.parse(image));
  }

  /**
   * @param image the name of an image made with Quorate's Dockerfile
   */
  public QuorateContainer(DockerImageName image) {
    super(image);
    clientPort = freePort();
    addFixedExposedPort(clientPort, clientPort);
    addExposedPort(ADMIN_PORT);
    withEnv("QUORATE_CLIENT_PORT", Integer.toString(clientPort));
    // It starts faster, and lives too briefly for the second compiler to pay off.
    withEnv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");
    waitingFor(Wait.forHttp("/health").forPort(ADMIN_PORT).withStartupTimeout(STARTUP_TIMEOUT));
  }

  @Override
  protected void configure() {
    withEnv("QUORATE_HOST", getHost());
  }

  /** Where clients reach the node, as {@code host:port}. */
  public String clientAddress() {
    return new NodeAddress(getHost(), clientPort).toString();
  }

  /** The default options of a client, with this node's address. */
  public ClientOptions options() {
    return ClientOptions.of(clientAddress());
  }

  private static int freePort() {
    for (int i = 0; i < PORT_TRIES; i++) {
      int port = PORT_LOWEST + ThreadLocalRandom.current().nextInt(PORT_COUNT);
      try (ServerSocket socket = new ServerSocket(port)) {
        return socket.getLocalPort();
      } catch (BindException e) {
        // Taken; another one may be free.
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
