package io.quorate.torture.testbed.disk;

import io.quorate.server.localcluster.Launch;
import java.io.IOException;

/** Devices of limited speed, one for each node of a cluster. Not thread-safe. */
public interface NodeDevices extends AutoCloseable {

  /**
   * The speed of a device.
   *
   * @param writesPerSecond maximum number of writes in a second
   * @param bytesPerSecond maximum number of written bytes in a second
   */
  record Limit(int writesPerSecond, long bytesPerSecond) {}

  /** Limits a device from now on. */
  void limit(int device, Limit limit) throws IOException;

  /** The additions with which a node has its data on a device, which has been limited before. */
  Launch launch(int device);

  /** Removes the limits and all files of all devices; no process may use them. */
  void clear() throws IOException;

  /** Removes the devices. */
  @Override
  void close();
}
