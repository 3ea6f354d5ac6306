package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import java.util.OptionalDouble;

/**
 * The device with the data of a node, as the node reports it.
 *
 * @param writeRate the rate of random writes that was measured, in bytes a second; empty unless one
 *     was
 * @param speed the rate in bytes a second at which the device is expected to store rows, by which
 *     placement weighs it; empty if it is not known
 * @param capacityBytes the most bytes of rows that the node is to hold; 0 while it is not known
 * @param syncNanos the recent time of an fsync in nanoseconds; empty before the first one
 * @param isSlow whether the device has become far slower than it usually is
 */
public record DeviceState(
    OptionalDouble writeRate,
    OptionalDouble speed,
    long capacityBytes,
    OptionalDouble syncNanos,
    boolean isSlow) {
  public DeviceState {
    Nulls.refuse(writeRate, "writeRate");
    Nulls.refuse(speed, "speed");
    Nulls.refuse(syncNanos, "syncNanos");
  }
}
