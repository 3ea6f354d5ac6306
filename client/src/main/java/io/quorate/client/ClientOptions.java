package io.quorate.client;

import io.quorate.consensus.Guarantee;
import io.quorate.consensus.NodeId;
import io.quorate.operation.Limits;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * How a client behaves. Made by {@link #builder}.
 *
 * @param seeds nodes to ask for the others; at least one
 * @param clusterId the id of the cluster that is meant; empty for whichever answers first
 * @param clientName what servers write in their logs about this client
 * @param deadline how long a call may take in all, unless it is made with {@link
 *     AsyncQuorateClient#withDeadline}; at most {@link #DEADLINE_MAX}
 * @param attemptTimeout how long one node may take to answer before another is asked; a call ends a
 *     little before its deadline where less than a quarter of this is left for another attempt
 * @param connectTimeout how long a connection may take to be made and greeted
 * @param silenceMax how long a connection with requests in flight may be silent before it counts as
 *     dead and is closed
 * @param backoffMin upper bound of the first pause between attempts; doubled with every further one
 * @param backoffMax upper bound of any pause between attempts, and between connection attempts to
 *     one node
 * @param connectionsPerNode 1 to 16
 * @param inFlightRequestsMax most calls that are being worked on at once
 * @param inFlightBytesMax most bytes of requests, and of scan pages asked for, of those calls; also
 *     the largest single request
 * @param waitingRequestsMax most calls that wait for their turn; one more fails with {@link
 *     OverloadedException} at once
 * @param waitingBytesMax most bytes of the calls that wait
 * @param frameBytesMax longest answer the client accepts; a longer one costs the connection
 * @param guarantee what reads rely on where they do not say otherwise. By default {@link
 *     Guarantee#LINEARIZABLE_IF_CLOCKS_BOUNDED}, which depends on clocks only in a cluster that is
 *     set up with {@code reads = lease}; {@link Guarantee#LINEARIZABLE} depends on none in any
 *     cluster, and there costs a round trip between the nodes
 * @param quorumReads who merges the shares of a linearizable read of one key, in a cluster that
 *     serves such reads from a quorum of replicas; without meaning in others, and for scans
 * @param weakerReads whether reads that ask for linearizability are content with what the cluster
 *     is set up for, where that is weaker; otherwise such a cluster refuses them with {@link
 *     InvalidRequestException}
 * @param nearestNode the node that is asked first wherever every replica serves as well, such as
 *     the one of the same site; empty for any, a different one for different clients
 * @param listener receives a report of each call that ends
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
    boolean weakerReads,
    Optional<NodeId> nearestNode,
    Optional<CallListener> listener) {
  /** Who takes the shares of a quorum and merges them. */
  public enum QuorumReads {
    /**
     * A node, which asks others: one request a read for this client, and two network delays more
     * than from a state at hand.
     */
    BY_NODE,
    /**
     * This client, which asks several nodes at once: one round trip where nothing is being written,
     * and an answer from each node asked.
     */
    BY_CLIENT
  }

  /** Servers remember what they answered for longer than any call may take. */
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
   * The defaults, with these seeds.
   *
   * @param seeds {@code host:port}, several with commas between them
   * @throws IllegalArgumentException if that is not what {@code seeds} is
   */
  public static ClientOptions of(String seeds) {
    return builder(seeds).build();
  }

  /**
   * Starts from the defaults, with these seeds.
   *
   * @param seeds {@code host:port}, several with commas between them
   * @throws IllegalArgumentException if that is not what {@code seeds} is
   */
  public static Builder builder(String seeds) {
    return new Builder(NodeAddress.parseList(seeds));
  }

  /**
   * @throws IllegalArgumentException if no call may have this deadline
   */
  static void requireDeadline(Duration deadline) {
    requireDuration("deadline", deadline, DEADLINE_MAX);
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  private static void requireDuration(String what, Duration value, Duration most) {
    require(
        value.compareTo(Duration.ZERO) > 0 && value.compareTo(most) <= 0,
        "A client's "
            + what
            + " is above 0 and at most "
            + Durations.text(most)
            + ", not "
            + Durations.text(value)
            + ".");
  }

  private static void requireRange(String what, long value, long least, long most) {
    require(
        value >= least && value <= most,
        "A client's " + what + " are from " + least + " to " + most + ", not " + value + ".");
  }

  /** Collects options. The components of {@link ClientOptions} say what each means. */
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
    private long inFlightBytesMax = 64L << 20;
    private int waitingRequestsMax = 16_384;
    private long waitingBytesMax = 64L << 20;
    // The longest value there can be, in a scan page that had not reached its bound before it.
    private int frameBytesMax = Limits.VALUE_BYTES_MOST + (8 << 20);
    private Guarantee guarantee = Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED;
    private QuorumReads quorumReads = QuorumReads.BY_NODE;
    private boolean weakerReads;
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

    public Builder weakerReads(boolean value) {
      weakerReads = value;
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
          weakerReads,
          nearestNode,
          listener);
    }
  }
}
