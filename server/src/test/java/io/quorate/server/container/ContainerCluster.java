package io.quorate.server.container;

import com.github.dockerjava.api.DockerClient;
import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.ClientOptions;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.server.container.NodeContainer.Networks;
import io.quorate.server.localcluster.Ports;
import io.quorate.server.localcluster.Ports.NodePorts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.Network;
import org.testcontainers.lifecycle.Startables;

/** A cluster of containers, each with a volume of its own. */
final class ContainerCluster implements AutoCloseable {
  private static final Duration DEADLINE = Duration.ofSeconds(60);

  private final Network control = Network.newNetwork();
  // Internal, so that ports are never published through this network.
  private final Network data =
      Network.builder().createNetworkCmdModifier(command -> command.withInternal(true)).build();
  private final List<NodeContainer> nodes = new ArrayList<>();
  private final List<String> volumes = new ArrayList<>();
  private final AsyncQuorateClient client;

  private ContainerCluster(String image, List<String> ids) {
    Ports free = new Ports.Free();
    List<NodePorts> ports = IntStream.range(0, ids.size()).mapToObj(free::of).toList();
    String configuration = configuration(ids, ports);
    for (int i = 0; i < ids.size(); i++) {
      String volume = "quorate-test-" + UUID.randomUUID();
      engine()
          .createVolumeCmd()
          .withName(volume)
          .withLabels(DockerClientFactory.DEFAULT_LABELS)
          .exec();
      volumes.add(volume);
      nodes.add(
          new NodeContainer(
              image, ids.get(i), ports.get(i), new Networks(control, data), volume, configuration));
    }
    client =
        AsyncQuorateClient.open(
            ClientOptions.builder(
                    nodes.stream()
                        .map(NodeContainer::clientAddress)
                        .collect(Collectors.joining(",")))
                .deadline(DEADLINE)
                .build());
  }

  /** Starts three nodes and waits until they are healthy. Blocks. */
  static ContainerCluster start() {
    String image = QuorateImage.name();
    ContainerCluster cluster = new ContainerCluster(image, List.of("n1", "n2", "n3"));
    try {
      Startables.deepStart(cluster.nodes).join();
      return cluster;
    } catch (RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  List<NodeContainer> nodes() {
    return List.copyOf(nodes);
  }

  /** A client with the addresses of all nodes and a deadline of one minute. */
  AsyncQuorateClient client() {
    return client;
  }

  /** The leader of a region, as reported by the replica with the highest epoch. */
  Optional<NodeContainer> leader(int region) {
    return replicas(region)
        .max(Comparator.comparingLong(ReplicaState::consensusEpoch))
        .flatMap(newest -> newest.region().leader())
        .flatMap(leader -> nodes.stream().filter(n -> n.id().equals(leader.value())).findAny());
  }

  /** The applied index of a region at a node; empty if the node does not respond. */
  Optional<Long> applied(NodeContainer node, int region) {
    return states()
        .filter(state -> state.id().value().equals(node.id()))
        .flatMap(state -> state.replicas().stream())
        .filter(replica -> replica.region().id().value() == region)
        .map(ReplicaState::applied)
        .findAny();
  }

  private Stream<ReplicaState> replicas(int region) {
    return states()
        .flatMap(state -> state.replicas().stream())
        .filter(replica -> replica.region().id().value() == region);
  }

  private Stream<NodeState> states() {
    return client.status().join().nodes().stream().flatMap(node -> node.state().stream());
  }

  /** Removes the containers, their data and their networks. */
  @Override
  public void close() {
    client.close();
    nodes.forEach(NodeContainer::stop);
    volumes.forEach(volume -> engine().removeVolumeCmd(volume).exec());
    data.close();
    control.close();
  }

  private static DockerClient engine() {
    return DockerClientFactory.instance().client();
  }

  private static String configuration(List<String> ids, List<NodePorts> ports) {
    StringBuilder members = new StringBuilder();
    for (int i = 0; i < ids.size(); i++) {
      members.append(
          "{ id = %s, host = %s, client-port = %d, consensus-port = %d, admin-port = %d }%n"
              .formatted(
                  ids.get(i),
                  NodeContainer.host(ids.get(i)),
                  ports.get(i).client(),
                  ports.get(i).consensus(),
                  ports.get(i).admin()));
    }
    return """
        quorate {
          cluster {
            id = containers
            regions = 12
            nodes = [
        %s    ]
          }
          node { id = ${QUORATE_NODE_ID}, data = "/var/lib/quorate" }
          storage.free-space-min = 0B
          admin.bind = "0.0.0.0"
          security = off
        }
        """
        .formatted(members);
  }
}
