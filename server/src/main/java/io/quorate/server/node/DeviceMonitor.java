package io.quorate.server.node;

import io.quorate.client.wire.v1.Device;
import io.quorate.server.config.PlacementConfig.DeviceConfig;
import java.util.function.Supplier;

/** The device with the data of this node. Any thread; does not block. */
final class DeviceMonitor implements Supplier<Device> {
  private final DeviceConfig config;
  private final DataDirectory data;

  DeviceMonitor(DeviceConfig config, DataDirectory data) {
    this.config = config;
    this.data = data;
  }

  @Override
  public Device get() {
    Device.Builder device = Device.newBuilder();
    config.speed().ifPresent(device::setSpeed);
    config.capacityBytes().ifPresent(device::setCapacity);
    return device.build();
  }
}
