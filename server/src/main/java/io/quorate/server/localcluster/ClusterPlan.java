package io.quorate.server.localcluster;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigUtil;
import io.quorate.client.ClientOptions;
import io.quorate.model.NodeId;
import io.quorate.protocol.tls.Authority;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.tls.CertificateName.Kind;
import io.quorate.protocol.tls.Tls;
import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The layout of a cluster whose nodes all run on this machine.
 *
 * @param directory contains one directory per node
 * @param clusterId name of the cluster
 * @param nodes ordered by number, one or more
 * @param regions number of data regions, 1 or more
 * @param preset name of the preset
 * @param splitKeys where regions begin, one fewer than regions; empty for the server's default
 * @param isSecure whether nodes and clients present certificates
 */
public record ClusterPlan(
    Path directory,
    String clusterId,
    List<NodePlan> nodes,
    int regions,
    String preset,
    List<String> splitKeys,
    boolean isSecure) {

  /** The name of the user whose certificate programs on this machine present. */
  static final String USER = "dev";

  /** The address that every node listens on. */
  public static final String HOST = "127.0.0.1";

  /** Maximum number of nodes: each has a port in every range of {@link Ports#STRIDE}. */
  public static final int NODES_MAX = Ports.STRIDE;

  /** Maximum number of data regions. */
  public static final int REGIONS_MAX = 4096;

  private static final int REPLICAS_MAX = 3;

  public ClusterPlan {
    nodes = List.copyOf(nodes);
    splitKeys = List.copyOf(splitKeys);
    requireBetween("nodes", nodes.size(), NODES_MAX);
    requireBetween("regions", regions, REGIONS_MAX);
  }

  /**
   * The requested size and preset of a cluster.
   *
   * @param splitKeys as in {@link ClusterPlan}
   * @param isSecure as in {@link ClusterPlan}
   */
  public record Shape(
      int nodes, int regions, String preset, List<String> splitKeys, boolean isSecure) {
    public static final Shape DEFAULT = new Shape(3, 1, "raft");

    public Shape(int nodes, int regions, String preset) {
      this(nodes, regions, preset, List.of(), false);
    }

    /** The same with certificates, or without. */
    public Shape withSecurity(boolean secure) {
      return new Shape(nodes, regions, preset, splitKeys, secure);
    }
  }

  /** Creates a plan with nodes {@code n1}, {@code n2} and so on; accesses no file. */
  public static ClusterPlan of(Path directory, String clusterId, Shape shape, Ports ports) {
    requireBetween("nodes", shape.nodes(), NODES_MAX);
    Path absolute = directory.toAbsolutePath().normalize();
    List<NodePlan> nodes = new ArrayList<>();
    for (int i = 0; i < shape.nodes(); i++) {
      NodeId id = new NodeId("n" + (i + 1));
      Ports.NodePorts own = ports.of(i);
      nodes.add(
          new NodePlan(
              id, HOST, own.client(), own.consensus(), own.admin(), absolute.resolve(id.value())));
    }
    return new ClusterPlan(
        absolute,
        clusterId,
        nodes,
        shape.regions(),
        shape.preset(),
        shape.splitKeys(),
        shape.isSecure());
  }

  /** Options of a client of this cluster, as the user who may do everything. */
  public ClientOptions.Builder clientOptions() {
    ClientOptions.Builder options = ClientOptions.builder(clientAddresses()).clusterId(clusterId);
    certificates().ifPresent(options::certificates);
    return options;
  }

  /**
   * An HTTP client of the admin ports, as the user who may do everything. Blocks on files.
   *
   * @throws IOException if the certificates cannot be used
   */
  public HttpClient httpClient(Duration connectTimeout) throws IOException {
    HttpClient.Builder client = HttpClient.newBuilder().connectTimeout(connectTimeout);
    if (isSecure) {
      client.sslContext(Tls.load(certificates().orElseThrow()).presenting());
    }
    return client.build();
  }

  /** The certificates of a user of this machine; empty without security. */
  public Optional<Path> certificates() {
    return isSecure ? Optional.of(authority().resolve("users").resolve(USER)) : Optional.empty();
  }

  /** The certificates of a node, which may do everything; empty without security. */
  Optional<Path> certificatesOfNode() {
    return isSecure ? Optional.of(certificatesOf(nodes.get(0))) : Optional.empty();
  }

  private Path authority() {
    return directory.resolve("certs");
  }

  private Path certificatesOf(NodePlan node) {
    return authority().resolve("nodes").resolve(node.id().value());
  }

  /** The URL of a node's console, health and metrics. */
  public String adminAddress(NodePlan node) {
    String address = node.adminAddress();
    return isSecure ? address.replaceFirst("http:", "https:") : address;
  }

  /**
   * Reads the plan of the cluster that was started earlier in this directory, if any.
   *
   * @throws ClusterException if the configuration file does not describe it
   */
  public static Optional<ClusterPlan> load(Path directory) {
    Path absolute = directory.toAbsolutePath().normalize();
    Path first = absolute.resolve("n1").resolve("quorate.conf");
    if (!Files.exists(first)) {
      return Optional.empty();
    }
    try {
      Config quorate = ConfigFactory.parseFile(first.toFile()).getConfig("quorate");
      Config cluster = quorate.getConfig("cluster");
      List<NodePlan> nodes = new ArrayList<>();
      for (Config node : cluster.getConfigList("nodes")) {
        NodeId id = new NodeId(node.getString("id"));
        nodes.add(
            new NodePlan(
                id,
                node.getString("host"),
                node.getInt("client-port"),
                node.getInt("consensus-port"),
                node.getInt("admin-port"),
                absolute.resolve(id.value())));
      }
      return Optional.of(
          new ClusterPlan(
              absolute,
              cluster.getString("id"),
              nodes,
              cluster.getInt("regions"),
              quorate.getString("preset"),
              cluster.hasPath("split-keys") ? cluster.getStringList("split-keys") : List.of(),
              quorate.hasPath("security.certificates")));
    } catch (ConfigException e) {
      throw new ClusterException(
          "The cluster in "
              + absolute
              + " cannot be continued, because "
              + first
              + " does not describe it: "
              + e.getMessage(),
          e);
    }
  }

  /**
   * Returns a copy of the plan in which clients and nodes connect to other hosts. The nodes still
   * listen on {@link #HOST}, so a relay must forward the connections.
   */
  public ClusterPlan withHosts(Function<NodeId, String> hosts) {
    List<NodePlan> relayed =
        nodes.stream()
            .map(
                node ->
                    new NodePlan(
                        node.id(),
                        hosts.apply(node.id()),
                        node.clientPort(),
                        node.consensusPort(),
                        node.adminPort(),
                        node.directory()))
            .toList();
    return new ClusterPlan(directory, clusterId, relayed, regions, preset, splitKeys, isSecure);
  }

  /** The client addresses of all nodes, as {@code host:port,host:port}. */
  public String clientAddresses() {
    return nodes.stream().map(NodePlan::clientAddress).collect(Collectors.joining(","));
  }

  /** Writes the configuration of every node; does not change its data. */
  void writeConfigurations() throws IOException {
    if (isSecure) {
      writeCertificates();
    }
    for (NodePlan node : nodes) {
      Files.createDirectories(node.directory());
      Files.writeString(node.configFile(), configurationOf(node));
    }
  }

  private void writeCertificates() throws IOException {
    Authority authority = Authority.in(authority());
    for (NodePlan node : nodes) {
      if (!Files.exists(certificatesOf(node))) {
        authority.sign(
            new CertificateName(Kind.NODE, node.id().value()),
            Set.of("localhost", HOST),
            certificatesOf(node));
      }
    }
    Path user = certificates().orElseThrow();
    if (!Files.exists(user)) {
      authority.sign(new CertificateName(Kind.USER, USER), Set.of(), user);
    }
  }

  private String configurationOf(NodePlan node) {
    String members =
        nodes.stream()
            .map(
                each ->
                    String.format(
                        Locale.ROOT,
                        "      { id = %s, host = %s, client-port = %d, consensus-port = %d, admin-port = %d }%n",
                        quoted(each.id()),
                        quoted(each.host()),
                        each.clientPort(),
                        each.consensusPort(),
                        each.adminPort()))
            .collect(Collectors.joining());
    return String.format(
        Locale.ROOT,
        """
        # Written anew whenever the cluster is started.
        quorate {
          preset = %s
          cluster {
            id = %s
            nodes = [
        %s    ]
            regions = %d
        %s            replicas = %d
          }
          node {
            id = %s
            data = %s
            bind = %s
          }
        %s}
        """,
        quoted(preset),
        quoted(clusterId),
        members,
        regions,
        splitKeys.isEmpty() ? "" : splitKeysLine(),
        Math.min(REPLICAS_MAX, nodes.size()),
        quoted(node.id()),
        quoted(node.dataDirectory()),
        quoted(HOST),
        isSecure ? "  security.certificates = " + quoted(certificatesOf(node)) + "\n" : "");
  }

  private String splitKeysLine() {
    return splitKeys.stream()
        .map(ClusterPlan::quoted)
        .collect(Collectors.joining(", ", "    split-keys = [ ", " ]\n"));
  }

  private static String quoted(Object value) {
    return ConfigUtil.quoteString(value.toString());
  }

  private static void requireBetween(String what, int value, int max) {
    if (value < 1 || value > max) {
      throw new ClusterException(
          "A cluster has from 1 to " + max + " " + what + ", not " + value + ".");
    }
  }
}
