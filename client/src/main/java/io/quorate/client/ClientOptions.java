package io.quorate.client;

import io.quorate.client.cluster.NodeAddress;
import io.quorate.common.Nulls;
import io.quorate.model.Guarantee;
import io.quorate.model.NodeId;
import io.quorate.protocol.operation.Limits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;

/**
 * The options of a client. Created by {@link #builder}; immutable. {@link #toBuilder} changes some
 * of them.
 */
public final class ClientOptions {
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

  /** Not changed after the construction. */
  private final Builder values;

  private ClientOptions(Builder from) {
    values = new Builder(from);
    require(!values.seeds.isEmpty(), "A client needs at least one address of a node.");
    requireDeadline(values.deadline);
    requireDuration("attempt timeout", values.attemptTimeout, DEADLINE_MAX);
    requireDuration("connect timeout", values.connectTimeout, DEADLINE_MAX);
    requireDuration("longest silence", values.silenceMax, DEADLINE_MAX);
    requireDuration("largest back-off", values.backoffMax, Duration.ofMinutes(1));
    requireDuration("smallest back-off", values.backoffMin, values.backoffMax);
    requireRange("connections per node", values.connectionsPerNode, 1, 16);
    requireRange("requests in flight", values.inFlightRequestsMax, 1, 1 << 20);
    requireRange("bytes in flight", values.inFlightBytesMax, 1, Long.MAX_VALUE);
    requireRange("requests waiting", values.waitingRequestsMax, 0, 1 << 20);
    requireRange("bytes waiting", values.waitingBytesMax, 0, Long.MAX_VALUE);
    require(
        values.login.isEmpty() || values.certificates.isPresent(),
        "A login needs certificates, which encrypt the connection.");
    requireRange("bytes of a frame", values.frameBytesMax, 1024, 1 << 30);
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
    return new Builder(NodeAddress.parseList(Nulls.refuse(seeds, "seeds")));
  }

  /**
   * Addresses of nodes from which the client requests the topology of the cluster; at least one.
   */
  public List<NodeAddress> seeds() {
    return values.seeds;
  }

  /**
   * The id of the cluster to which the client connects; empty for the cluster of the seeds, all of
   * which that respond must be of one.
   */
  public Optional<String> clusterId() {
    return values.clusterId;
  }

  /** The name of this client in the logs of servers. */
  public String clientName() {
    return values.clientName;
  }

  /**
   * The maximum duration of a call with all its attempts, unless the call is made with {@link
   * AsyncQuorateClient#withDeadline}; at most {@link #DEADLINE_MAX}.
   */
  public Duration deadline() {
    return values.deadline;
  }

  /**
   * The maximum time to wait for the response of one node before the request is sent to another
   * one; a call ends a little before its deadline if less than a quarter of this time is left for
   * another attempt.
   */
  public Duration attemptTimeout() {
    return values.attemptTimeout;
  }

  /** The maximum time to open a connection; its handshake may take silenceMax. */
  public Duration connectTimeout() {
    return values.connectTimeout;
  }

  /**
   * The maximum time for which a connection with in-flight requests may receive nothing; after that
   * it is considered dead and closed.
   */
  public Duration silenceMax() {
    return values.silenceMax;
  }

  /**
   * The upper bound of the first pause between attempts; the bound doubles with every further
   * pause.
   */
  public Duration backoffMin() {
    return values.backoffMin;
  }

  /** The upper bound of any pause between attempts, and between connection attempts to one node. */
  public Duration backoffMax() {
    return values.backoffMax;
  }

  /** The maximum number of connections to one node; 1 to 16. */
  public int connectionsPerNode() {
    return values.connectionsPerNode;
  }

  /** The maximum number of calls in flight. */
  public int inFlightRequestsMax() {
    return values.inFlightRequestsMax;
  }

  /**
   * The maximum number of bytes in flight: the bytes of requests, and of scan pages that are
   * requested; also the maximum size of a single request.
   */
  public long inFlightBytesMax() {
    return values.inFlightBytesMax;
  }

  /**
   * The maximum number of calls that wait for admission; {@link #admission} says what happens to a
   * further call. Reads have an eighth more, and so they have in flight.
   */
  public int waitingRequestsMax() {
    return values.waitingRequestsMax;
  }

  /** The maximum number of bytes of the calls that wait for admission. */
  public long waitingBytesMax() {
    return values.waitingBytesMax;
  }

  /** What happens to a call beyond those that may wait for admission; by default it fails. */
  public Admission admission() {
    return values.admission;
  }

  /**
   * The maximum size of a response; the client closes a connection on which it receives a larger
   * one.
   */
  public int frameBytesMax() {
    return values.frameBytesMax;
  }

  /**
   * The guarantee of the reads that do not specify one. By default {@link
   * Guarantee#LINEARIZABLE_IF_CLOCKS_BOUNDED}, which depends on clocks only in a cluster that is
   * configured with {@code reads = lease}; {@link Guarantee#LINEARIZABLE} depends on clocks in no
   * cluster, and in such a cluster costs a round trip between the nodes.
   */
  public Guarantee guarantee() {
    return values.guarantee;
  }

  /**
   * Whether a node or this client merges the read replies of a linearizable read of one key, in a
   * cluster that serves such reads from a quorum of replicas; has no effect in other clusters, and
   * on scans.
   */
  public QuorumReads quorumReads() {
    return values.quorumReads;
  }

  /**
   * Whether a read that requires linearizability may be served with the guarantee for which the
   * cluster is configured, if that is weaker; otherwise such a read fails with {@link
   * InvalidRequestException}.
   */
  public boolean allowNonLinearizableReads() {
    return values.allowNonLinearizableReads;
  }

  /**
   * The node to which requests are sent first if every replica can serve them, such as a node at
   * the same site; empty for any node, which then differs between clients.
   */
  public Optional<NodeId> nearestNode() {
    return values.nearestNode;
  }

  /** Those that are told when calls begin and end; in the order in which they were added. */
  public List<CallListener> listeners() {
    return values.listeners;
  }

  /** Where futures of {@link AsyncQuorateClient} complete; empty for the client's own thread. */
  public Optional<Executor> executor() {
    return values.executor;
  }

  /**
   * Where the client connects instead of an address of a seed or of the topology; by default there.
   */
  public UnaryOperator<NodeAddress> addressMapping() {
    return values.addressMapping;
  }

  /** The directory of the certificates with which this client connects; empty without TLS. */
  public Optional<Path> certificates() {
    return values.certificates;
  }

  /** The user as whom this client logs in; empty if its certificate says who it is, or nobody. */
  public Optional<Login> login() {
    return values.login;
  }

  /** Returns a builder with these options. */
  public Builder toBuilder() {
    return new Builder(values);
  }

  /**
   * Checks the deadline of calls.
   *
   * @throws IllegalArgumentException if it is not more than 0, or more than {@link #DEADLINE_MAX}
   */
  public static void requireDeadline(Duration deadline) {
    requireDuration("deadline", deadline, DEADLINE_MAX);
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new IllegalArgumentException(message);
    }
  }

  private static void requireDuration(String what, Duration value, Duration max) {
    Nulls.refuse(value, what);
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

  /**
   * Builds options. The methods of {@link ClientOptions} describe each option; null is refused with
   * the name of the option.
   */
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
    private Admission admission = Admission.FAIL;
    // A scan page may exceed its bound by its last row, which may have a value of maximum length.
    private int frameBytesMax = Limits.VALUE_BYTES_MAX + (8 << 20);
    private Guarantee guarantee = Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED;
    private QuorumReads quorumReads = QuorumReads.BY_NODE;
    private boolean allowNonLinearizableReads;
    private Optional<NodeId> nearestNode = Optional.empty();
    private List<CallListener> listeners = List.of();
    private Optional<Executor> executor = Optional.empty();
    private UnaryOperator<NodeAddress> addressMapping = UnaryOperator.identity();
    private Optional<Path> certificates = Optional.empty();
    private Optional<Login> login = Optional.empty();

    private Builder(List<NodeAddress> seeds) {
      this.seeds = List.copyOf(seeds);
    }

    private Builder(Builder from) {
      seeds = from.seeds;
      clusterId = from.clusterId;
      clientName = from.clientName;
      deadline = from.deadline;
      attemptTimeout = from.attemptTimeout;
      connectTimeout = from.connectTimeout;
      silenceMax = from.silenceMax;
      backoffMin = from.backoffMin;
      backoffMax = from.backoffMax;
      connectionsPerNode = from.connectionsPerNode;
      inFlightRequestsMax = from.inFlightRequestsMax;
      inFlightBytesMax = from.inFlightBytesMax;
      waitingRequestsMax = from.waitingRequestsMax;
      waitingBytesMax = from.waitingBytesMax;
      admission = from.admission;
      frameBytesMax = from.frameBytesMax;
      guarantee = from.guarantee;
      quorumReads = from.quorumReads;
      allowNonLinearizableReads = from.allowNonLinearizableReads;
      nearestNode = from.nearestNode;
      listeners = from.listeners;
      executor = from.executor;
      addressMapping = from.addressMapping;
      certificates = from.certificates;
      login = from.login;
    }

    public Builder clusterId(String value) {
      clusterId = Optional.of(Nulls.refuse(value, "clusterId"));
      return this;
    }

    public Builder clientName(String value) {
      clientName = Nulls.refuse(value, "clientName");
      return this;
    }

    public Builder deadline(Duration value) {
      deadline = Nulls.refuse(value, "deadline");
      return this;
    }

    public Builder attemptTimeout(Duration value) {
      attemptTimeout = Nulls.refuse(value, "attemptTimeout");
      return this;
    }

    public Builder connectTimeout(Duration value) {
      connectTimeout = Nulls.refuse(value, "connectTimeout");
      return this;
    }

    public Builder silenceMax(Duration value) {
      silenceMax = Nulls.refuse(value, "silenceMax");
      return this;
    }

    public Builder backoff(Duration min, Duration max) {
      backoffMin = Nulls.refuse(min, "min");
      backoffMax = Nulls.refuse(max, "max");
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

    public Builder admission(Admission value) {
      admission = Nulls.refuse(value, "admission");
      return this;
    }

    public Builder frameBytesMax(int value) {
      frameBytesMax = value;
      return this;
    }

    public Builder guarantee(Guarantee value) {
      guarantee = Nulls.refuse(value, "guarantee");
      return this;
    }

    public Builder quorumReads(QuorumReads value) {
      quorumReads = Nulls.refuse(value, "quorumReads");
      return this;
    }

    public Builder allowNonLinearizableReads(boolean value) {
      allowNonLinearizableReads = value;
      return this;
    }

    public Builder nearestNode(NodeId value) {
      nearestNode = Optional.of(Nulls.refuse(value, "nearestNode"));
      return this;
    }

    /** Adds a listener to those that were added before. */
    public Builder listener(CallListener value) {
      List<CallListener> all = new ArrayList<>(listeners);
      all.add(Nulls.refuse(value, "listener"));
      listeners = List.copyOf(all);
      return this;
    }

    /**
     * Completes the futures of {@link AsyncQuorateClient} by this executor, so that stages that
     * depend on them may block; blocking calls do not use it. If it rejects or throws, the future
     * completes on the client's own thread. One that discards what it has accepted, as after {@code
     * shutdownNow}, loses the completion. The client does not shut it down.
     */
    public Builder executor(Executor value) {
      executor = Optional.of(Nulls.refuse(value, "executor"));
      return this;
    }

    /**
     * Maps the addresses of nodes, as seeds and the topology have them, to those at which this
     * client reaches them: behind NAT, a forwarded port, or in containers of another machine.
     * Called on the client's thread; must not block. If it throws, the node cannot be reached.
     */
    public Builder addressMapping(UnaryOperator<NodeAddress> value) {
      addressMapping = Nulls.refuse(value, "addressMapping");
      return this;
    }

    /**
     * Connects by TLS, with the files {@code ca.crt}, {@code tls.crt} and {@code tls.key} of a
     * directory; with {@link #login} the first is enough. They are read when the client is opened,
     * and again for connections that are opened later.
     */
    public Builder certificates(Path directory) {
      certificates = Optional.of(Nulls.refuse(directory, "certificates"));
      return this;
    }

    /** Logs in as a user with a secret, over TLS, instead of presenting a certificate. */
    public Builder login(String user, String secret) {
      login = Optional.of(new Login(Nulls.refuse(user, "user"), Nulls.refuse(secret, "secret")));
      return this;
    }

    /**
     * @throws IllegalArgumentException if an option is out of its bounds
     */
    public ClientOptions build() {
      return new ClientOptions(this);
    }
  }
}
