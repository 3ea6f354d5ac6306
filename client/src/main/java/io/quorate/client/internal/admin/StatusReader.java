package io.quorate.client.internal.admin;

import com.google.protobuf.ByteString;
import io.quorate.client.cluster.DeviceState;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.client.cluster.RegionPlan;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.client.cluster.TrafficSample;
import io.quorate.client.internal.topology.TopologyReader;
import io.quorate.common.DecodeException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.wire.v1.BodyFigures;
import io.quorate.protocol.wire.v1.Device;
import io.quorate.protocol.wire.v1.LostReplica;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.protocol.wire.v1.NodeStatus;
import io.quorate.protocol.wire.v1.ReadFigures;
import io.quorate.protocol.wire.v1.Region;
import io.quorate.protocol.wire.v1.Replica;
import io.quorate.protocol.wire.v1.Topology;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.stream.Collectors;

/** What nodes report of themselves in messages. Any thread; nothing blocks. */
final class StatusReader {
  private static final int DISK_BYTES = 16;

  private StatusReader() {}

  /**
   * The state that a node reports.
   *
   * @throws DecodeException if the message contains an invalid name or id, or an epoch below 1
   */
  static NodeState node(NodeStatus status) {
    try {
      return new NodeState(
          new NodeId(status.getNode().getId()),
          status.getClusterId(),
          status.getServerVersion(),
          status.getPreset(),
          status.getSettingsMap(),
          Duration.ofMillis(status.getUptimeMs()),
          status.getAcceptsWrites() ? Optional.empty() : Optional.of(status.getRefusal()),
          !status.getTopology().getLeadersOnly(),
          status.getTopology().getVersion(),
          status.getTopology().getNodesList().stream().map(TopologyReader::node).toList(),
          status.getTopology().getRegionsList().stream().map(TopologyReader::region).toList(),
          plans(status.getTopology()),
          status.getReplicasList().stream().map(StatusReader::replica).toList(),
          disk(status.getNode()),
          switch (status.getJoinState()) {
            case NEW -> NodeState.JoinState.NEW;
            case FOUNDING -> NodeState.JoinState.FOUNDING;
            case JOINED -> NodeState.JoinState.JOINED;
            case UNREPORTED, UNRECOGNIZED -> NodeState.JoinState.UNREPORTED;
          },
          status.getLostReplicasList().stream()
              .collect(
                  Collectors.toMap(
                      lost -> new GroupId(lost.getRegion()),
                      lost -> new RegionEpoch(lost.getEpoch()),
                      (first, second) -> second)),
          status.hasDevice() ? Optional.of(device(status.getDevice())) : Optional.empty(),
          status.hasPlacement()
              ? Optional.of(PlacementReader.placement(status.getPlacement()))
              : Optional.empty(),
          traffic(status),
          status.getStorageFailuresList(),
          status.getTopology().getReplicasPerRegion(),
          status.getLostReplicasList().stream()
              .filter(lost -> !lost.getDamage().isEmpty())
              .collect(
                  Collectors.toMap(
                      lost -> new GroupId(lost.getRegion()),
                      LostReplica::getDamage,
                      (first, second) -> second)));
    } catch (IllegalArgumentException e) {
      throw new DecodeException("The state of a node is invalid: " + e.getMessage() + ".");
    }
  }

  private static Map<GroupId, RegionPlan> plans(Topology topology) {
    Map<GroupId, RegionPlan> plans = new HashMap<>();
    for (Region region : topology.getRegionsList()) {
      plan(region).ifPresent(plan -> plans.put(new GroupId(region.getId()), plan));
    }
    return plans;
  }

  private static Optional<RegionPlan> plan(Region region) {
    if (region.hasSplit()) {
      return Optional.of(
          new RegionPlan.Split(
              Key.wrap(region.getSplit().getAt().toByteArray()),
              new GroupId(region.getSplit().getChild())));
    }
    if (region.hasMerge()) {
      return Optional.of(
          new RegionPlan.Merge(
              new GroupId(region.getMerge().getAbsorbed()),
              new GroupId(region.getMerge().getInto())));
    }
    return region.hasChange()
        ? Optional.of(
            new RegionPlan.Replicas(
                TopologyReader.optionalNode(region.getChange().getFrom()),
                TopologyReader.optionalNode(region.getChange().getTo())))
        : Optional.empty();
  }

  private static Optional<UUID> disk(Node node) {
    if (!node.hasDisk()) {
      return Optional.empty();
    }
    if (node.getDisk().size() != DISK_BYTES) {
      throw new IllegalArgumentException("The identity of a disk has " + DISK_BYTES + " bytes");
    }
    ByteBuffer bytes = node.getDisk().asReadOnlyByteBuffer();
    return Optional.of(new UUID(bytes.getLong(), bytes.getLong()));
  }

  private static ReplicaState replica(Replica replica) {
    return new ReplicaState(
        TopologyReader.region(replica),
        replica.getMembersList().stream().map(NodeId::new).toList(),
        replica.getServing(),
        replica.getConsensusEpoch(),
        replica.getCommitted(),
        replica.getApplied(),
        replica.getDurable(),
        replica.hasReads() ? Optional.of(reads(replica.getReads())) : Optional.empty(),
        replica.hasBodies() ? Optional.of(bodies(replica.getBodies())) : Optional.empty(),
        replica.getConfirmedEpoch(),
        replica.getRowBytes(),
        new ReplicaState.SplitKeys(
            replica.hasSplitKey() ? key(replica.getSplitKey()) : Optional.empty(),
            replica.hasBusySplitKey() ? key(replica.getBusySplitKey()) : Optional.empty()),
        replica.getHibernating(),
        replica.hasRequestRate()
            ? OptionalDouble.of(replica.getRequestRate())
            : OptionalDouble.empty(),
        replica.getLostMembersList().stream().map(NodeId::new).collect(Collectors.toSet()),
        replica.hasPlanProblem() ? Optional.of(replica.getPlanProblem()) : Optional.empty(),
        replica.hasProblem() ? Optional.of(replica.getProblem()) : Optional.empty(),
        replica.hasDigest()
            ? Optional.of(
                new ReplicaState.Digest(
                    new Position(replica.getDigest().getEpoch(), replica.getDigest().getIndex()),
                    replica.getDigest().getHash()))
            : Optional.empty(),
        replica.hasDigestProgress()
            ? OptionalDouble.of(replica.getDigestProgress())
            : OptionalDouble.empty(),
        replica.hasBehindMs()
            ? Optional.of(Duration.ofMillis(replica.getBehindMs()))
            : Optional.empty());
  }

  private static Optional<Key> key(ByteString bytes) {
    return Optional.of(Key.wrap(bytes.toByteArray()));
  }

  private static ReplicaState.Reads reads(ReadFigures figures) {
    return new ReplicaState.Reads(
        figures.getReadIndex(),
        figures.hasRowNanos() ? OptionalDouble.of(figures.getRowNanos()) : OptionalDouble.empty(),
        figures.hasApplyNanos()
            ? OptionalDouble.of(figures.getApplyNanos())
            : OptionalDouble.empty(),
        figures.getMerged(),
        figures.getImmediate(),
        figures.getRelaxed());
  }

  private static ReplicaState.Bodies bodies(BodyFigures figures) {
    return new ReplicaState.Bodies(
        figures.getFragments(),
        figures.getComplete(),
        figures.getMissing(),
        figures.getDamaged(),
        figures.getBytes());
  }

  private static DeviceState device(Device message) {
    return new DeviceState(
        message.hasWriteRate() ? OptionalDouble.of(message.getWriteRate()) : OptionalDouble.empty(),
        message.hasSpeed() ? OptionalDouble.of(message.getSpeed()) : OptionalDouble.empty(),
        message.getCapacity(),
        message.hasSyncNanos() ? OptionalDouble.of(message.getSyncNanos()) : OptionalDouble.empty(),
        message.getSlow());
  }

  private static List<TrafficSample> traffic(NodeStatus status) {
    return status.getTrafficList().stream().map(StatusReader::sample).toList();
  }

  private static TrafficSample sample(io.quorate.protocol.wire.v1.TrafficSample sample) {
    return new TrafficSample(
        Duration.ofMillis(Integer.toUnsignedLong(sample.getAgeMs())),
        Duration.ofMillis(Integer.toUnsignedLong(sample.getSpanMs())),
        sample.getReads(),
        sample.getWrites(),
        sample.getFailures(),
        sample.hasReadLatency() ? Optional.of(latency(sample.getReadLatency())) : Optional.empty(),
        sample.hasWriteLatency()
            ? Optional.of(latency(sample.getWriteLatency()))
            : Optional.empty());
  }

  private static TrafficSample.Latency latency(io.quorate.protocol.wire.v1.Latency latency) {
    return new TrafficSample.Latency(latency.getMeanMicros(), latency.getP99Micros());
  }
}
