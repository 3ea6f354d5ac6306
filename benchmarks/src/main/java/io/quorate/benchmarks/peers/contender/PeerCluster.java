package io.quorate.benchmarks.peers.contender;

import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.kv.KeyValueCalls;
import io.quorate.common.ShutdownHook;
import io.quorate.server.localcluster.FileTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The processes of another database on this machine, and the connections to them. */
public final class PeerCluster implements RunningContender {
  private static final Duration SERVING_MAX = Duration.ofSeconds(90);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);
  private static final long PROBE_SECONDS = 5;
  private static final long RETRY_MILLIS = 200;

  /** Calls are failed at most this part of the deadline too late. */
  private static final int DEADLINE_CHECKS = 60;

  private static final byte[] PROBE_KEY = "probe".getBytes(StandardCharsets.US_ASCII);

  private final Path directory;
  private final List<ChildProcess> processes = new ArrayList<>();
  private final List<PeerConnection> connections = new ArrayList<>();
  private final List<CallsWithDeadline> calls = new ArrayList<>();

  /** Starts the processes, which end with it, and fails calls at their deadlines. */
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "peers-watch");
            thread.setDaemon(true);
            return thread;
          });

  private final ShutdownHook closeWithJvm = new ShutdownHook("peers-close", this::close);
  private boolean closed;

  /**
   * A node of the cluster.
   *
   * @param name of its directory and its log
   * @param command starts it; its directory exists
   */
  public record Node(String name, List<String> command) {
    public Node {
      command = List.copyOf(command);
    }
  }

  /** Determines the nodes of a cluster. */
  @FunctionalInterface
  public interface Plan {
    /**
     * @param directory the directory that contains the directories of the nodes
     */
    List<Node> nodes(Path directory);
  }

  /** Opens one of the connections. */
  @FunctionalInterface
  public interface Connector {
    PeerConnection open(int number) throws IOException, InterruptedException;
  }

  private PeerCluster(Path directory) {
    this.directory = directory;
  }

  /**
   * Starts the processes, which end when this JVM ends, also when it is killed, if the system can
   * do that. Blocks until every connection has written and read a key. Each later call fails when
   * it has no response within the same time as the calls to Quorate, 60 s.
   *
   * @param name of the database
   * @param parent an existing directory, which contains the data while it runs
   * @param connectionCount number of connections
   * @throws IOException if it does not serve within 90 s; it is stopped and deleted then
   */
  public static PeerCluster start(
      String name, Path parent, Plan plan, int connectionCount, Connector connector)
      throws IOException, InterruptedException {
    return start(name, parent, plan, connectionCount, connector, ClientPool.DEADLINE);
  }

  /** As above, with another deadline of calls. */
  static PeerCluster start(
      String name,
      Path parent,
      Plan plan,
      int connectionCount,
      Connector connector,
      Duration deadline)
      throws IOException, InterruptedException {
    PeerCluster cluster = new PeerCluster(Files.createTempDirectory(parent, name + "-"));
    cluster.closeWithJvm.register();
    try {
      cluster.startProcesses(plan);
      cluster.connect(connectionCount, connector);
      cluster.watchCalls(deadline);
      return cluster;
    } catch (IOException | InterruptedException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private void startProcesses(Plan plan) throws IOException, InterruptedException {
    for (Node node : plan.nodes(directory)) {
      processes.add(started(node));
    }
  }

  /** Starts a process on the thread with which it ends. */
  private ChildProcess started(Node node) throws IOException, InterruptedException {
    Path own = Files.createDirectories(directory.resolve(node.name()));
    Path log = directory.resolve(node.name() + ".log");
    List<String> command = EndWithParent.command(node.command());
    // As for the nodes of Quorate: RocksDB allocates on many threads.
    Map<String, String> environment = Map.of("MALLOC_ARENA_MAX", "2");
    try {
      return watch.submit(() -> ChildProcess.start(command, own, environment, log)).get();
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e);
    }
  }

  private void watchCalls(Duration deadline) {
    connections.forEach(each -> calls.add(new CallsWithDeadline(each, deadline)));
    long nanos = Math.max(1, deadline.toNanos() / DEADLINE_CHECKS);
    watch.scheduleWithFixedDelay(
        () -> calls.forEach(CallsWithDeadline::expire), nanos, nanos, TimeUnit.NANOSECONDS);
  }

  private void connect(int count, Connector connector) throws IOException, InterruptedException {
    long end = System.nanoTime() + SERVING_MAX.toNanos();
    while (connections.size() < count) {
      try {
        connections.add(probed(connector.open(connections.size())));
      } catch (IOException e) {
        requireAlive();
        if (System.nanoTime() - end > 0) {
          throw new IOException(
              "It did not serve within " + SERVING_MAX.toSeconds() + " s: " + e.getMessage(), e);
        }
        TimeUnit.MILLISECONDS.sleep(RETRY_MILLIS);
      }
    }
  }

  /** Returns the connection if a key that was written can be read; closes it otherwise. */
  private static PeerConnection probed(PeerConnection connection)
      throws IOException, InterruptedException {
    boolean serves = false;
    try {
      byte[] value = Long.toString(System.nanoTime()).getBytes(StandardCharsets.US_ASCII);
      connection.put(PROBE_KEY, value).toCompletableFuture().get(PROBE_SECONDS, TimeUnit.SECONDS);
      Optional<byte[]> read =
          connection.get(PROBE_KEY).toCompletableFuture().get(PROBE_SECONDS, TimeUnit.SECONDS);
      serves = read.isPresent() && Arrays.equals(read.get(), value);
      if (!serves) {
        throw new IOException("a value that was written is not read");
      }
      return connection;
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().toString(), e);
    } catch (RuntimeException e) {
      throw new IOException(e.toString(), e);
    } catch (TimeoutException e) {
      throw new IOException("no response within " + PROBE_SECONDS + " s", e);
    } finally {
      if (!serves) {
        connection.close();
      }
    }
  }

  @Override
  public List<KeyValueCalls> calls() {
    return List.copyOf(calls);
  }

  @Override
  public List<KeyValueCalls> connections() {
    return List.copyOf(connections);
  }

  @Override
  public List<ProcessHandle> processes() {
    return processes.stream().map(each -> each.process().toHandle()).toList();
  }

  @Override
  public void requireAlive() throws IOException {
    for (ChildProcess each : processes) {
      if (!each.isAlive()) {
        throw new IOException("A process ended unexpectedly: " + each.lastLine());
      }
    }
    for (CallsWithDeadline each : calls) {
      if (each.hasExpired()) {
        throw new IOException(each.message());
      }
    }
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    connections.forEach(PeerConnection::close);
    processes.forEach(each -> each.process().destroy());
    processes.forEach(each -> each.stop(STOP_TIMEOUT));
    watch.shutdownNow();
    try {
      FileTree.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    closeWithJvm.close();
  }
}
