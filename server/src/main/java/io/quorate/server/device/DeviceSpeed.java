package io.quorate.server.device;

/**
 * The measured speed of a device.
 *
 * @param bytesPerSecond bytes a second of random writes of 8 MiB, at least 1
 * @param syncsPerSecond writes of 4 KiB a second, each followed by an fsync, rounded, at least 1
 */
public record DeviceSpeed(long bytesPerSecond, long syncsPerSecond) {
  public DeviceSpeed {
    if (bytesPerSecond < 1 || syncsPerSecond < 1) {
      throw new IllegalArgumentException(
          "A device writes and syncs at least once a second: "
              + bytesPerSecond
              + " bytes, "
              + syncsPerSecond
              + " syncs");
    }
  }
}
