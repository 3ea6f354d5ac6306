package io.quorate.benchmarks.peers.etcd;

import io.quorate.benchmarks.peers.contender.ClientLibrary;
import io.quorate.benchmarks.peers.contender.Contender;
import io.quorate.benchmarks.peers.contender.PeerCluster;
import io.quorate.benchmarks.peers.contender.PeerCluster.Node;
import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.contender.RunningContender;
import io.quorate.benchmarks.peers.contender.SourceProject;
import io.quorate.benchmarks.peers.contender.UnavailableException;
import io.quorate.common.LoopbackPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Three members of etcd, built from a Go module that requires its server. */
public final class EtcdContender implements Contender {
  static final String VERSION = "v3.6.16";

  private static final String GO = "go";
  private static final String MAIN_PACKAGE = "go.etcd.io/etcd/server/v3/etcdmain";
  private static final String PROGRAM = "etcd";
  private static final String HOST = "127.0.0.1";
  private static final int MEMBERS = 3;

  /** The maximum that etcd recommends; by default writes end at 2 GiB. */
  private static final long BACKEND_BYTES_MAX = 8L << 30;

  /** Instead of the connections of this program. */
  private final Optional<ClientLibrary> client;

  private Path program = Path.of(PROGRAM);

  /** It is called by three connections of this program. */
  public EtcdContender() {
    this(Optional.empty());
  }

  private EtcdContender(Optional<ClientLibrary> client) {
    this.client = client;
  }

  /** It is called by one client of this library. */
  public static EtcdContender calledBy(ClientLibrary client) {
    return new EtcdContender(Optional.of(client));
  }

  /**
   * The ports of a member.
   *
   * @param client for clients
   * @param peer for other members
   */
  record Ports(int client, int peer) {}

  @Override
  public String name() {
    return "etcd";
  }

  @Override
  public String description() {
    return "etcd "
        + VERSION
        + ", three members; the defaults, except for a database of up to 8 GiB and a log of"
        + " warnings only; not compacted; linearizable gets; "
        + client
            .map(ClientLibrary::description)
            .orElse("three connections by gRPC, one to each member")
        + ".";
  }

  @Override
  public void prepare(Programs programs) throws UnavailableException, InterruptedException {
    SourceProject project = project();
    if (!project.isBuilt(programs) && Programs.installed(GO).isEmpty()) {
      throw new UnavailableException("It is built with Go, and there is no \"go\" on the PATH.");
    }
    project.build(programs);
    program = project.directory(programs).resolve(PROGRAM);
    if (client.isPresent()) {
      client.get().prepare(programs);
    }
  }

  /**
   * The program of etcd as a module of its own: {@code go install} refuses the server, because its
   * module replaces dependencies.
   */
  static SourceProject project() {
    return new SourceProject(
        "etcd-" + VERSION,
        Map.of(
            "go.mod",
            """
            module quorate/peers/etcd

            go 1.21
            """,
            "main.go",
            String.format(
                Locale.ROOT,
                """
            // Runs etcd.
            package main

            import (
            	"os"

            	"%s"
            )

            func main() {
            	etcdmain.Main(os.Args)
            }
            """,
                MAIN_PACKAGE)),
        List.of(
            List.of(GO, "get", MAIN_PACKAGE + "@" + VERSION),
            List.of(GO, "build", "-trimpath", "-o", PROGRAM, ".")),
        Map.of("CGO_ENABLED", "0"));
  }

  @Override
  public RunningContender start(Path parent) throws IOException, InterruptedException {
    List<Ports> ports =
        Stream.generate(() -> new Ports(LoopbackPorts.next(), LoopbackPorts.next()))
            .limit(MEMBERS)
            .toList();
    return PeerCluster.start(
        name(),
        parent,
        directory ->
            IntStream.range(0, MEMBERS)
                .mapToObj(member -> new Node(memberName(member), command(program, ports, member)))
                .toList(),
        client.isPresent() ? 1 : MEMBERS,
        member -> client.isPresent() ? client.get().open(addresses(ports)) : open(ports, member));
  }

  private static String addresses(List<Ports> ports) {
    return ports.stream().map(each -> HOST + ":" + each.client()).collect(Collectors.joining(","));
  }

  private static EtcdConnection open(List<Ports> ports, int member)
      throws IOException, InterruptedException {
    return EtcdConnection.open(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.get(member).client()));
  }

  /** The command line of a member, which runs in its own directory. */
  static List<String> command(Path program, List<Ports> ports, int member) {
    String clients = url(ports.get(member).client());
    String peers = url(ports.get(member).peer());
    String cluster =
        IntStream.range(0, ports.size())
            .mapToObj(each -> memberName(each) + "=" + url(ports.get(each).peer()))
            .collect(Collectors.joining(","));
    return List.of(
        program.toString(),
        "--name=" + memberName(member),
        "--data-dir=data",
        "--listen-client-urls=" + clients,
        "--advertise-client-urls=" + clients,
        "--listen-peer-urls=" + peers,
        "--initial-advertise-peer-urls=" + peers,
        "--initial-cluster=" + cluster,
        "--initial-cluster-state=new",
        "--quota-backend-bytes=" + BACKEND_BYTES_MAX,
        "--log-level=warn");
  }

  private static String memberName(int member) {
    return "m" + (member + 1);
  }

  private static String url(int port) {
    return "http://" + HOST + ":" + port;
  }
}
