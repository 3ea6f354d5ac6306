package io.quorate.benchmarks.kv;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeState;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.server.cli.verb.ConnectOptions;
import io.quorate.server.localcluster.ClusterPlan;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/** A few clients of one cluster, shared by all simulated clients. */
public final class ClientPool implements AutoCloseable {
  /**
   * The deadline of calls. Long, because a node that is slow for a while is a part of the
   * measurement and must not abort it.
   */
  public static final Duration DEADLINE = Duration.ofSeconds(60);

  /** Each client has one thread; two keep a few cores busy without taking them from the cluster. */
  private static final int COUNT = 2;

  private static final String CLIENT_NAME = "bench";

  private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(20);

  private final List<AsyncQuorateClient> clients;

  private ClientPool(List<AsyncQuorateClient> clients) {
    this.clients = clients;
  }

  /**
   * Connects to a cluster. Blocks until it is connected.
   *
   * @throws io.quorate.client.QuorateException if no node of a cluster can be reached
   */
  public static ClientPool to(String addresses) {
    // As for the commands that access a cluster.
    return to(ConnectOptions.ofEnvironment().at(addresses).builder());
  }

  /** As {@link #to(String)}, as the user of this cluster who may do everything. */
  public static ClientPool to(ClusterPlan cluster) {
    return to(cluster.clientOptions());
  }

  private static ClientPool to(ClientOptions.Builder builder) {
    ClientOptions options = builder.clientName(CLIENT_NAME).allowNonLinearizableReads(true).build();
    return open(Stream.generate(() -> options).limit(COUNT));
  }

  /**
   * Connects to a cluster with one client per given node, which is its nearest node: this spreads
   * the load evenly over a cluster without leaders. Blocks until it is connected.
   *
   * @param deadline of each call
   * @throws io.quorate.client.QuorateException if no node of a cluster can be reached
   */
  public static ClientPool to(
      String addresses,
      List<NodeId> nearest,
      ClientOptions.QuorumReads quorumReads,
      Duration deadline) {
    return open(
        nearest.stream()
            .map(
                node ->
                    ClientOptions.builder(addresses)
                        .clientName(CLIENT_NAME)
                        .deadline(deadline)
                        .attemptTimeout(min(ATTEMPT_TIMEOUT, deadline))
                        .quorumReads(quorumReads)
                        .allowNonLinearizableReads(true)
                        .nearestNode(node)
                        .build()));
  }

  /**
   * Connects with clients of these options. Blocks until they are connected.
   *
   * @throws io.quorate.client.QuorateException if no node of a cluster can be reached
   */
  public static ClientPool of(List<ClientOptions> options) {
    return open(options.stream());
  }

  private static ClientPool open(Stream<ClientOptions> options) {
    ClientPool pool = new ClientPool(options.map(AsyncQuorateClient::open).toList());
    try {
      pool.clients.forEach(client -> client.ready().join());
      return pool;
    } catch (CompletionException e) {
      pool.close();
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /** The status that the nodes report; never fails because of a node. */
  public CompletableFuture<ClusterStatus> status() {
    return clients.get(0).status();
  }

  /**
   * Transfers the leadership of a region to a node. Blocks until that node leads.
   *
   * @throws io.quorate.client.QuorateException if the leadership was not transferred
   */
  public void transferLeader(GroupId region, NodeId target) {
    clients.get(0).blocking().transferLeader(region, target);
  }

  /** The preset of the cluster, as reported by its nodes. */
  String preset() {
    return status().join().nodes().stream()
        .flatMap(node -> node.state().stream())
        .map(NodeState::preset)
        .findFirst()
        .orElse("unknown");
  }

  /** One for each client. */
  public List<KeyValueCalls> calls() {
    return clients.stream().<KeyValueCalls>map(CallsOfClient::new).toList();
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) <= 0 ? one : other;
  }

  @Override
  public void close() {
    clients.forEach(AsyncQuorateClient::close);
  }

  private record CallsOfClient(AsyncQuorateClient client) implements KeyValueCalls {
    @Override
    public CompletionStage<?> put(byte[] key, byte[] value) {
      return client.put(key, value);
    }

    @Override
    public CompletionStage<?> get(byte[] key) {
      return client.get(key);
    }

    @Override
    public CompletionStage<?> delete(byte[] key) {
      return client.delete(key);
    }

    @Override
    public CompletionStage<?> scan(byte[] start, int rows) {
      return client.scan(KeyRange.from(Key.wrap(start)), rows);
    }
  }
}
