package io.quorate.server.node;

import io.quorate.consensus.ConsensusException;
import io.quorate.protocol.wire.v1.Device;
import io.quorate.protocol.wire.v1.TrafficSample;
import io.quorate.server.digest.UndecidedDifferences;
import io.quorate.server.node.directory.DataDirectory;
import io.quorate.server.node.monitor.ApplyWatch;
import io.quorate.server.node.monitor.DeviceMonitor;
import io.quorate.server.node.monitor.DiskWatch;
import io.quorate.server.node.monitor.Housekeeping;
import io.quorate.server.node.monitor.LostReplicas;
import io.quorate.server.node.monitor.NodeGauges;
import io.quorate.server.node.monitor.NodeHealth;
import io.quorate.server.node.monitor.RegionSizes;
import io.quorate.server.node.monitor.ReplicaLag;
import io.quorate.server.node.monitor.StorageWatch;
import io.quorate.server.node.monitor.TrafficRing;
import io.quorate.server.rpc.request.TrafficCounters;
import io.quorate.storage.Storage;
import java.io.IOException;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Consumer;

/**
 * What a node observes of itself, for its health, its status and its metrics: the space and the
 * speed of its disks, the failures of its storage, its traffic, and of its replicas the size, the
 * lag, and which are lost. Measured by threads of its own; what was measured may be read by any
 * thread, without blocking.
 */
final class NodeMonitor {
  private final NodeContext node;
  private final DataDirectory data;
  private final Storage storage;
  private final DatabaseRebuild rebuild;
  private final LostReplicas lost = new LostReplicas(System::nanoTime);
  private final UndecidedDifferences differences = new UndecidedDifferences();
  private final ReplicaLag lag;
  private final NodeHealth health;
  private final RegionSizes sizes;
  private final DiskWatch disk;
  private final TrafficCounters counters = new TrafficCounters();
  private final TrafficRing traffic = new TrafficRing(counters, System::nanoTime);

  /** Null before {@link #measureDevice}. */
  private DeviceMonitor device;

  /**
   * @param rebuild of the database in the data directory
   */
  NodeMonitor(NodeContext node, DataDirectory data, Storage storage, DatabaseRebuild rebuild) {
    this.node = node;
    this.data = data;
    this.storage = storage;
    this.rebuild = rebuild;
    this.lag = ReplicaLag.of(node.topology(), node.client());
    this.health =
        new NodeHealth(
            node.topology(),
            node.servingState(),
            this::storageFailures,
            lost::problems,
            differences,
            lag);
    this.sizes = new RegionSizes(node.topology());
    this.disk =
        new DiskWatch(
            data::freeBytes,
            data::freeLogBytes,
            node.config().storage().freeSpaceMinBytes(),
            node.servingState(),
            storage::abandonDigests,
            System::nanoTime);
  }

  /** Measures the device with the data, and begins to watch it. Blocks while it is measured. */
  void measureDevice() throws IOException {
    device =
        node.keep(
            DeviceMonitor.start(
                node.config().placement(),
                data.root(),
                data.logRoot(),
                () -> disk.freeBytes() + sizes.bytes() + rebuild.setAsideBytes(),
                node.telemetry()));
  }

  /**
   * Registers the gauges of the node and starts to measure. Does not block.
   *
   * @param onFatal ends the node, if storage fails for good
   */
  void start(Consumer<ConsensusException.Fatal> onFatal) {
    disk.register(node.telemetry());
    NodeGauges.register(node.telemetry(), node.topology(), node.servingState(), health, lost);
    rebuild.register(node.telemetry());
    // A thread of its own: with a disk that does not respond, free space is not known.
    node.keep(new Housekeeping("quorate-free-space")).everySecond(disk);
    Housekeeping watches = node.keep(new Housekeeping("quorate-housekeeping"));
    watches.everySecond(new ApplyWatch(node.topology(), System::nanoTime));
    watches.every(ReplicaLag.INTERVAL, lag);
    watches.everySecond(traffic);
    watches.everySecond(new StorageWatch(storage::failures, onFatal, System::nanoTime));
    node.keep(new Housekeeping("quorate-rebuild")).every(DatabaseRebuild.INTERVAL, rebuild);
  }

  NodeHealth health() {
    return health;
  }

  /** Why storage cannot write now, one sentence each. */
  List<String> storageFailures() {
    return rebuild.with(storage.failures());
  }

  /** The differences of replicas without a majority that agrees. */
  UndecidedDifferences differences() {
    return differences;
  }

  /** The replicas that the node has lost. */
  LostReplicas lost() {
    return lost;
  }

  /** How far behind the replicas are. */
  ReplicaLag lag() {
    return lag;
  }

  /** The sizes of the regions; estimated when it is run. */
  RegionSizes sizes() {
    return sizes;
  }

  /** Counts the requests of the node. */
  TrafficCounters counters() {
    return counters;
  }

  /** The requests of the last minutes. */
  List<TrafficSample> traffic() {
    return traffic.samples();
  }

  /** The device with the data. After {@link #measureDevice}. */
  Device device() {
    return device.get();
  }

  /** The speed of the device with the data, if it is known. After {@link #measureDevice}. */
  OptionalDouble deviceSpeed() {
    return device.speed();
  }
}
