package io.quorate.server.node;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.SettingException;
import io.quorate.server.admin.Health;
import io.quorate.server.config.ConfigException;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartupException;
import io.quorate.server.node.directory.DataDirectory;
import io.quorate.server.topology.ClusterTopology;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node of the database, from its data directory to the ports it listens on.
 *
 * <p>{@link #start} starts everything that does not depend on other nodes; the node then joins its
 * cluster in the background and serves clients once {@link #serving} completes. Several nodes may
 * run in one process.
 */
public final class QuorateNode implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QuorateNode.class);

  private final ServerConfig config;
  private final NodeAssembly.Parts parts;
  private final Resources resources;
  private final AtomicBoolean closing = new AtomicBoolean();
  private final CompletableFuture<Void> closed = new CompletableFuture<>();
  private final CompletableFuture<Void> serving;

  private QuorateNode(
      ServerConfig config,
      NodeAssembly.Parts parts,
      Resources resources,
      Consumer<ConsensusException.Fatal> onFatal)
      throws IOException {
    this.config = config;
    this.parts = parts;
    this.resources = resources;
    this.serving = parts.startup().joined();
    serving.whenComplete((done, failure) -> joined(Optional.ofNullable(failure), onFatal));
    parts.startup().start();
  }

  /**
   * Starts a node. Blocks while files are opened; does not wait for other nodes.
   *
   * @param provider the engine that the configuration names
   * @param onFatal called, on any thread, when the node cannot continue; the process should end.
   *     Must not block.
   * @throws StartupException if the node cannot start with its configuration; nothing is left
   *     running
   */
  public static QuorateNode start(
      ServerConfig config,
      ConsensusEngineProvider provider,
      Consumer<ConsensusException.Fatal> onFatal) {
    Capabilities capabilities = Engines.capabilities(provider, config);
    Resources resources = new Resources();
    try {
      NodeAssembly.Parts parts =
          NodeAssembly.assemble(config, provider, capabilities, onFatal, resources);
      return new QuorateNode(config, parts, resources, onFatal);
    } catch (IOException e) {
      resources.close();
      throw StartFailure.of(e);
    } catch (SettingException e) {
      resources.close();
      throw new ConfigException(e.getMessage(), e);
    } catch (RuntimeException e) {
      resources.close();
      throw e;
    }
  }

  private void joined(Optional<Throwable> failure, Consumer<ConsensusException.Fatal> onFatal) {
    if (failure.isEmpty()) {
      LOG.atInfo()
          .addKeyValue("node", config.node().id())
          .addKeyValue("cluster", config.cluster().id())
          .addKeyValue("clientPort", clientPort())
          .log("Serving");
    } else if (!closing.get()) {
      onFatal.accept(
          new ConsensusException.Fatal("The node could not join its cluster", failure.get()));
    }
  }

  /** Completes when the node serves clients; is cancelled if the node is closed first. */
  public CompletionStage<Void> serving() {
    return serving.minimalCompletionStage();
  }

  /** The port for clients. */
  public int clientPort() {
    return parts.rpcServer().port();
  }

  /** The port for health, metrics and the console. */
  public int adminPort() {
    return parts.admin().port();
  }

  /** The health of the node, as {@code /health} reports it. */
  public Health health() {
    return parts.health().get();
  }

  /** What this node knows of its cluster, for tests. */
  ClusterTopology topology() {
    return parts.topology();
  }

  /** The files of the node, for tests. */
  DataDirectory data() {
    return parts.data();
  }

  /** Blocks until the node has been closed. */
  public void awaitClosed() throws InterruptedException {
    try {
      closed.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
  }

  /**
   * Stops the node without losing acknowledged writes: stops accepting requests, transfers its
   * leaderships, waits until the requests in flight have responses, then closes all resources.
   * Blocks for at most the times in section {@code shutdown} of the configuration and a few
   * seconds. A second call waits for the first.
   */
  @Override
  public void close() {
    if (!closing.compareAndSet(false, true)) {
      closed.join();
      return;
    }
    LOG.atInfo().addKeyValue("node", config.node().id()).log("Stopping");
    try {
      parts.servingState().stop();
      parts.rpcServer().stopAccepting();
      parts.startup().close();
      await("leadership", parts.drain().start(), config.shutdown().transferTimeout());
      await("requests", parts.rpcServer().whenIdle(), config.shutdown().drainTimeout());
    } finally {
      resources.close();
      LOG.atInfo().addKeyValue("node", config.node().id()).log("Stopped");
      closed.complete(null);
    }
  }

  private static void await(String what, CompletionStage<Void> done, Duration timeout) {
    try {
      done.toCompletableFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.atWarn()
          .addKeyValue("waitedFor", what)
          .addKeyValue("error", e)
          .log("A wait failed; stopping without it");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
