package io.quorate.benchmarks.peers.redis;

import io.quorate.benchmarks.peers.contender.ClientLibrary;
import io.quorate.benchmarks.peers.contender.Contender;
import io.quorate.benchmarks.peers.contender.PeerCluster;
import io.quorate.benchmarks.peers.contender.PeerCluster.Node;
import io.quorate.benchmarks.peers.contender.Programs;
import io.quorate.benchmarks.peers.contender.RunningContender;
import io.quorate.benchmarks.peers.contender.UnavailableException;
import io.quorate.common.LoopbackPorts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** One node of Redis that syncs its log before each response. Not replicated. */
public final class RedisContender implements Contender {
  private static final String PROGRAM = "redis-server";
  private static final int CONNECTIONS = 3;

  /** Instead of the connections of this program. */
  private final Optional<ClientLibrary> client;

  private Path program = Path.of(PROGRAM);

  /** It is called by three connections of this program. */
  public RedisContender() {
    this(Optional.empty());
  }

  private RedisContender(Optional<ClientLibrary> client) {
    this.client = client;
  }

  /** It is called by one client of this library. */
  public static RedisContender calledBy(ClientLibrary client) {
    return new RedisContender(Optional.of(client));
  }

  @Override
  public String name() {
    return "redis";
  }

  @Override
  public String description() {
    return "one node, not replicated, the installed version; appendonly yes, appendfsync always,"
        + " no snapshots, otherwise the defaults; "
        + client.map(ClientLibrary::description).orElse("three connections with pipelining")
        + ".";
  }

  @Override
  public void prepare(Programs programs) throws UnavailableException, InterruptedException {
    program =
        Programs.installed(PROGRAM)
            .orElseThrow(
                () ->
                    new UnavailableException(
                        "There is no redis-server on the PATH; install the package of your system,"
                            + " such as redis-server on Debian."));
    if (client.isPresent()) {
      client.get().prepare(programs);
    }
  }

  @Override
  public RunningContender start(Path parent) throws IOException, InterruptedException {
    int port = LoopbackPorts.next();
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    return PeerCluster.start(
        name(),
        parent,
        directory -> List.of(new Node("redis", command(program, port))),
        client.isPresent() ? 1 : CONNECTIONS,
        number ->
            client.isPresent()
                ? client.get().open(address.getHostString() + ":" + port)
                : RedisConnection.open(address));
  }

  /** The command line, which runs in the directory of the data. */
  static List<String> command(Path program, int port) {
    return List.of(
        program.toString(),
        "--port",
        Integer.toString(port),
        "--bind",
        "127.0.0.1",
        "--daemonize",
        "no",
        "--save",
        "",
        "--appendonly",
        "yes",
        "--appendfsync",
        "always");
  }
}
