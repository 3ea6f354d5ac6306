package io.quorate.server.node.monitor;

import io.quorate.common.FileErrors;
import io.quorate.consensus.MetricsSink;
import io.quorate.protocol.wire.v1.Device;
import io.quorate.server.config.PlacementConfig;
import io.quorate.server.config.PlacementConfig.DeviceConfig;
import io.quorate.server.config.StartupException;
import io.quorate.server.device.Calibration;
import io.quorate.server.device.CalibrationPoint;
import io.quorate.server.device.DeviceHealth;
import io.quorate.server.device.DeviceProbe;
import io.quorate.server.device.SpeedCurve;
import io.quorate.server.device.SyncStatus;
import io.quorate.server.device.SyncWatch;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The devices of this node: how fast that of the data is, measured once when the node starts, and
 * whether that of the log becomes slow, measured from then on. Usually one device has both. Any
 * thread; does not block, except {@link #start}.
 */
public final class DeviceMonitor implements AutoCloseable, Supplier<Device> {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceMonitor.class);

  private final DeviceConfig config;
  private final OptionalLong writeRate;
  private final OptionalDouble speed;
  private final DoubleSupplier fits;
  private final SyncWatch syncs;
  private final Housekeeping ticks = new Housekeeping("quorate-device");
  private volatile boolean isSlow;

  private DeviceMonitor(
      DeviceConfig config,
      OptionalLong writeRate,
      OptionalDouble speed,
      DoubleSupplier fits,
      SyncWatch syncs) {
    this.config = config;
    this.writeRate = writeRate;
    this.speed = speed;
    this.fits = fits;
    this.syncs = syncs;
  }

  /**
   * Measures the device if the policy of placement considers it, which takes about {@code
   * placement.probe-time}, and begins to watch it. A measurement that fails is logged, and the
   * speed is then not known.
   *
   * @param directory the data directory
   * @param logDirectory a directory on the device with the log, for whose fsyncs writes wait
   * @param fits the bytes of rows that fit on the device; NaN while that is not known
   * @throws StartupException if the calibration cannot be read
   * @throws IOException if the directory cannot be written
   */
  public static DeviceMonitor start(
      PlacementConfig placement,
      Path directory,
      Path logDirectory,
      DoubleSupplier fits,
      MetricsSink telemetry)
      throws IOException {
    DeviceConfig config = placement.device();
    OptionalLong writeRate = OptionalLong.empty();
    OptionalDouble speed = OptionalDouble.empty();
    if (config.speed().isPresent()) {
      speed = OptionalDouble.of(config.speed().get());
    } else if (placement.policy().considersDevices() && !config.probeTime().isZero()) {
      SpeedCurve curve =
          config.calibration().isPresent() ? curve(config.calibration().get()) : SpeedCurve.DEFAULT;
      writeRate = probe(config, directory);
      if (writeRate.isPresent()) {
        speed = OptionalDouble.of(curve.kvBytesPerSecond(writeRate.getAsLong()));
        LOG.atInfo()
            .addKeyValue("writeBytesPerSecond", writeRate.getAsLong())
            .addKeyValue("rowBytesPerSecond", (long) speed.getAsDouble())
            .log("Measured the device with the data");
      }
    }
    DeviceMonitor monitor =
        new DeviceMonitor(config, writeRate, speed, fits, SyncWatch.start(logDirectory));
    monitor.register(telemetry);
    DeviceHealth health = new DeviceHealth(config.slowSync(), config.recovery());
    monitor.ticks.every(SyncWatch.INTERVAL, () -> monitor.tick(health));
    return monitor;
  }

  private static SpeedCurve curve(Path calibration) {
    try {
      List<CalibrationPoint> points = Calibration.read(calibration);
      if (points.isEmpty()) {
        throw new IOException(calibration + " has no point");
      }
      return SpeedCurve.of(points);
    } catch (IOException e) {
      throw new StartupException(
          "The calibration of devices (placement.calibration) cannot be used: "
              + FileErrors.describe(e)
              + ".",
          e);
    }
  }

  private static OptionalLong probe(DeviceConfig config, Path directory) {
    try {
      return OptionalLong.of(
          DeviceProbe.measure(directory, config.probeTime(), progress -> {}).bytesPerSecond());
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("error", e).log("The device with the data cannot be measured");
      return OptionalLong.empty();
    }
  }

  private void register(MetricsSink telemetry) {
    telemetry.gauge(
        "device.sync.seconds",
        "Time of an fsync of 4 KiB where the log is, a moving average",
        Map.of(),
        () -> syncs.status().averageNanos() / (double) TimeUnit.SECONDS.toNanos(1));
    telemetry.gauge(
        "device.slow",
        "1 while the device with the log is far slower than it usually is, otherwise 0",
        Map.of(),
        () -> isSlow ? 1 : 0);
  }

  private void tick(DeviceHealth health) {
    boolean wasSlow = isSlow;
    isSlow = health.tick(System.nanoTime(), syncs.take()) == DeviceHealth.State.SLOW;
    if (isSlow != wasSlow) {
      LOG.atWarn()
          .addKeyValue("syncMillis", TimeUnit.NANOSECONDS.toMillis(health.judgedNanos()))
          .addKeyValue("thresholdMillis", TimeUnit.NANOSECONDS.toMillis(health.thresholdNanos()))
          .log(
              isSlow
                  ? "The device with the log has become slow"
                  : "The device with the log is as fast as usual again");
    }
  }

  /** The rate in bytes a second at which the device stores rows; empty if it is not known. */
  public OptionalDouble speed() {
    return speed;
  }

  @Override
  public Device get() {
    Device.Builder device = Device.newBuilder().setSlow(isSlow);
    writeRate.ifPresent(device::setWriteRate);
    speed.ifPresent(device::setSpeed);
    double capacity = config.capacityBytes().map(Long::doubleValue).orElseGet(fits::getAsDouble);
    if (capacity > 0) {
      device.setCapacity((long) capacity);
    }
    SyncStatus status = syncs.status();
    if (status.completed() > 0) {
      device.setSyncNanos(status.averageNanos());
    }
    return device.build();
  }

  /** Blocks for a few seconds at most, also while the device hangs. */
  @Override
  public void close() {
    ticks.close();
    syncs.close();
  }
}
