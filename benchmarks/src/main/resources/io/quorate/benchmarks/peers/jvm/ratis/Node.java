package peer;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.TimeDuration;

/** A node, which stops when its standard input ends. */
public final class Node {
  private static final TimeDuration ELECTION_MIN = TimeDuration.valueOf(1, TimeUnit.SECONDS);
  private static final TimeDuration ELECTION_MAX = TimeDuration.valueOf(2, TimeUnit.SECONDS);

  private Node() {}

  /**
   * @param arguments the number of the node, from 0, and the addresses of all
   */
  public static void main(String[] arguments) throws Exception {
    RaftPeer self = Group.peers(arguments[1]).get(Integer.parseInt(arguments[0]));
    Path database = Files.createDirectories(Path.of("database"));
    RaftProperties properties = new RaftProperties();
    RaftServerConfigKeys.setStorageDir(
        properties, List.of(Path.of("log").toAbsolutePath().toFile()));
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, ELECTION_MIN);
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, ELECTION_MAX);
    RaftServerConfigKeys.Read.setOption(
        properties, RaftServerConfigKeys.Read.Option.LINEARIZABLE);
    GrpcConfigKeys.Server.setPort(
        properties, Integer.parseInt(self.getAddress().substring(self.getAddress().indexOf(':') + 1)));
    RaftServer server =
        RaftServer.newBuilder()
            .setServerId(self.getId())
            .setGroup(Group.of(arguments[1]))
            .setProperties(properties)
            .setStateMachine(new RocksStateMachine(database))
            .build();
    server.start();
    while (System.in.read() >= 0) {}
    Runtime.getRuntime().halt(0);
  }
}
