package io.quorate.server.device;

/**
 * What was measured on one device: its own speed, and that of the storage engine on it.
 *
 * @param deviceBytesPerSecond bytes a second of random writes of 8 MiB, as of {@link DeviceSpeed};
 *     from 1 to {@link #BYTES_PER_SECOND_MAX}
 * @param kvBytesPerSecond bytes a second of keys and values that the storage engine absorbed; from
 *     1 to {@link #BYTES_PER_SECOND_MAX}
 */
public record CalibrationPoint(long deviceBytesPerSecond, long kvBytesPerSecond) {
  /** A petabyte a second; more is a mistake in a file. */
  public static final long BYTES_PER_SECOND_MAX = 1_000_000_000_000_000L;

  public CalibrationPoint {
    requireSpeed(deviceBytesPerSecond);
    requireSpeed(kvBytesPerSecond);
  }

  private static void requireSpeed(long bytesPerSecond) {
    if (bytesPerSecond < 1 || bytesPerSecond > BYTES_PER_SECOND_MAX) {
      throw new IllegalArgumentException(
          "A speed is from 1 to "
              + BYTES_PER_SECOND_MAX
              + " bytes a second, not "
              + bytesPerSecond);
    }
  }
}
