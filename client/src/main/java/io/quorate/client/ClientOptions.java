package io.quorate.client;

import io.quorate.consensus.Guarantee;
import io.quorate.consensus.NodeId;
import io.quorate.operation.Limits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The options of a client. Created by {@link #builder}.
 *
 * @param seeds addresses of nodes from which the client requests the topology of the cluster; at
 *     least one
 * @param clusterId the id of the cluster to which the client connects; empty for the cluster of the
 *     seeds, all of which that respond must be of one
 * @param clientName the name of this client in the logs of servers
 * @param deadline the maximum duration of a call with all its attempts, unless the call is made
 *     with {@link AsyncQuorateClient#withDeadline}; at most {@link #DEADLINE_MAX}
 * @param attemptTimeout the maximum time to wait for the response of one node before the request is
 *     sent to another one; a call ends a little before its deadline if less than a quarter of this
 *     time is left for another attempt
 * @param connectTimeout the maximum time to open a connection; its handshake may take silenceMax
 * @param silenceMax the maximum time for which a connection with in-flight requests may receive
 *     nothing; after that it is considered dead and closed
 * @param backoffMin the upper bound of the first pause between attempts; the bound doubles with
 *     every further pause
 * @param backoffMax the upper bound of any pause between attempts, and between connection attempts
 *     to one node
 * @param connectionsPerNode the maximum number of connections to one node; 1 to 16
 * @param inFlightRequestsMax the maximum number of calls in flight
 * @param inFlightBytesMax the maximum number of bytes in flight: the bytes of requests, and of scan
 *     pages that are requested; also the maximum size of a single request
 * @param waitingRequestsMax the maximum number of calls that wait for admission; a further call
 *     fails immediately with {@link OverloadedException}
 * @param waitingBytesMax the maximum number of bytes of the calls that wait for admission
 * @param frameBytesMax the maximum size of a response; the client closes a connection on which it
 *     receives a larger one
 * @param guarantee the guarantee of the reads that do not specify one. By default {@link
 *     Guarantee#LINEARIZABLE_IF_CLOCKS_BOUNDED}, which depends on clocks only in a cluster that is
 *     configured with {@code reads = lease}; {@link Guarantee#LINEARIZABLE} depends on clocks in no
 *     cluster, and in such a cluster costs a round trip between the nodes
 * @param quorumReads whether a node or this client merges the read replies of a linearizable read
 *     of one key, in a cluster that serves such reads from a quorum of replicas; has no effect in
 *     other clusters, and on scans
 * @param allowNonLinearizableReads whether a read that requires linearizability may be served with
 *     the guarantee for which the cluster is configured, if that is weaker; otherwise such a read
 *     fails with {@link InvalidRequestException}
 * @param nearestNode the node to which requests are sent first if every replica can serve them,
 *     such as a node at the same site; empty for any node, which then differs between clients
 * @param listener the receiver of a report of each call that ends
 */
public record ClientOptions(
    List<NodeAddress> seeds,
    Optional<String> clusterId,
    String clientName,
    Duration deadline,
    Duration attemptTimeout,
    Duration connectTimeout,
    Duration silenceMax,
    Duration backoffMin,
    Duration backoffMax,
    int connectionsPerNode,
    int inFlightRequestsMax,
    long inFlightBytesMax,
    int waitingRequestsMax,
    long waitingBytesMax,
    int frameBytesMax,
    Guarantee guarantee,
    QuorumReads quorumReads,
    boolean allowNonLinearizableReads,
    Optional<NodeId> nearestNode,
    Optional<CallListener> listener) {
  /** The side that queries a quorum of replicas and merges their read replies. */
  public enum QuorumReads {
    /**
     * A node, which queries other replicas: one request per read for this client, and two network
     * delays more than a read of local state.
     */
    BY_NODE,
    /**
     * This client, which queries several replicas at the same time: one round trip if no write is
     * pending, and one response from each queried replica.
     */
    BY_CLIENT
  }

  /** The maximum deadline of a call. Servers keep results for deduplication longer than this. */
  public static final Duration DEADLINE_MAX = Duration.ofMinutes(5);

  public ClientOptions {
    seeds = List.copyOf(seeds);
    require(!seeds.isEmpty(), "A client needs at least one address of a node.");
    requireDeadline(deadline);
    requireDuration("attempt timeout", attemptTimeout, DEADLINE_MAX);
    requireDuration("connect timeout", connectTimeout, DEADLINE_MAX);
    requireDuration("longest silence", silenceMax, DEADLINE_MAX);
    requireDuration("largest back-off", backoffMax, Duration.ofMinutes(1));
    requireDuration("smallest back-off", backoffMin, backoffMax);
    requireRange("connections per node", connectionsPerNode, 1, 16);
    requireRange("requests in flight", inFlightRequestsMax, 1, 1 << 20);
    requireRange("bytes in flight", inFlightBytesMax, 1, Long.MAX_VALUE);
    requireRange("requests waiting", waitingRequestsMax, 0, 1 << 20);
    requireRange("bytes waiting", waitingBytesMax, 0, Long.MAX_VALUE);
    requireRange("bytes of a frame", frameBytesMax, 1024, 1 << 30);
  }

  /**
   * Returns the default options with these seeds.
   *
   * @param seeds addresses of the form {@code host:port}, separated by commas
   * @throws IllegalArgumentException if {@code seeds} does not have that form
   */
  public static ClientOptions of(String seeds) {
    return builder(seeds).build();
  }

  /**
   * Returns a builder with the default options and these seeds.
   *
   * @param seeds addresses of the form {@code host:port}, separated by commas
   * @throws IllegalArgumentException if {@code seeds} does not have that form
   */
  public static Builder builder(String seeds) {
    return new Builder(NodeAddress.parseList(seeds));
  }

  /**
   * @throws IllegalArgumentException if the deadline is out of bounds
   */
  static void requireDeadline(Duration deadline) {
    requireDuration("deadline", deadline, DEADLINE_MAX);
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  private static void requireDuration(String what, Duration value, Duration max) {
    require(
        value.compareTo(Duration.ZERO) > 0 && value.compareTo(max) <= 0,
        "A client's "
            + what
            + " is above 0 and at most "
            + Durations.text(max)
            + ", not "
            + Durations.text(value)
            + ".");
  }

  private static void requireRange(String what, long value, long min, long max) {
    require(
        value >= min && value <= max,
        "A client's " + what + " are from " + min + " to " + max + ", not " + value + ".");
  }

  /** Builds options. The components of {@link ClientOptions} describe each option. */
  public static final class Builder {
    private final List<NodeAddress> seeds;
    private Optional<String> clusterId = Optional.empty();
    private String clientName = "java";
    private Duration deadline = Duration.ofSeconds(10);
    private Duration attemptTimeout = Duration.ofSeconds(2);
    private Duration connectTimeout = Duration.ofSeconds(2);
    private Duration silenceMax = Duration.ofSeconds(4);
    private Duration backoffMin = Duration.ofMillis(10);
    private Duration backoffMax = Duration.ofMillis(500);
    private int connectionsPerNode = 1;
    private int inFlightRequestsMax = 4096;
    // A put of a value of maximum length is longer than the value.
    private long inFlightBytesMax = Limits.VALUE_BYTES_MAX + (8L << 20);
    private int waitingRequestsMax = 16_384;
    private long waitingBytesMax = 64L << 20;
    // A scan page may exceed its bound by its last row, which may have a value of maximum length.
    private int frameBytesMax = Limits.VALUE_BYTES_MAX + (8 << 20);
    private Guarantee guarantee = Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED;
    private QuorumReads quorumReads = QuorumReads.BY_NODE;
    private boolean allowNonLinearizableReads;
    private Optional<NodeId> nearestNode = Optional.empty();
    private Optional<CallListener> listener = Optional.empty();

    private Builder(List<NodeAddress> seeds) {
      this.seeds = seeds;
    }

    public Builder clusterId(String value) {
      clusterId = Optional.of(value);
      return this;
    }

    public Builder clientName(String value) {
      clientName = value;
      return this;
    }

    public Builder deadline(Duration value) {
      deadline = value;
      return this;
    }

    public Builder attemptTimeout(Duration value) {
      attemptTimeout = value;
      return this;
    }

    public Builder connectTimeout(Duration value) {
      connectTimeout = value;
      return this;
    }

    public Builder silenceMax(Duration value) {
      silenceMax = value;
      return this;
    }

    public Builder backoff(Duration min, Duration max) {
      backoffMin = min;
      backoffMax = max;
      return this;
    }

    public Builder connectionsPerNode(int value) {
      connectionsPerNode = value;
      return this;
    }

    public Builder inFlight(int requestsMax, long bytesMax) {
      inFlightRequestsMax = requestsMax;
      inFlightBytesMax = bytesMax;
      return this;
    }

    public Builder waiting(int requestsMax, long bytesMax) {
      waitingRequestsMax = requestsMax;
      waitingBytesMax = bytesMax;
      return this;
    }

    public Builder frameBytesMax(int value) {
      frameBytesMax = value;
      return this;
    }

    public Builder guarantee(Guarantee value) {
      guarantee = value;
      return this;
    }

    public Builder quorumReads(QuorumReads value) {
      quorumReads = value;
      return this;
    }

    public Builder allowNonLinearizableReads(boolean value) {
      allowNonLinearizableReads = value;
      return this;
    }

    public Builder nearestNode(NodeId value) {
      nearestNode = Optional.of(value);
      return this;
    }

    public Builder listener(CallListener value) {
      listener = Optional.of(value);
      return this;
    }

    /**
     * @throws IllegalArgumentException if an option is out of its bounds
     */
    public ClientOptions build() {
      return new ClientOptions(
          seeds,
          clusterId,
          clientName,
          deadline,
          attemptTimeout,
          connectTimeout,
          silenceMax,
          backoffMin,
          backoffMax,
          connectionsPerNode,
          inFlightRequestsMax,
          inFlightBytesMax,
          waitingRequestsMax,
          waitingBytesMax,
          frameBytesMax,
          guarantee,
          quorumReads,
          allowNonLinearizableReads,
          nearestNode,
          listener);
    }
  }
}
