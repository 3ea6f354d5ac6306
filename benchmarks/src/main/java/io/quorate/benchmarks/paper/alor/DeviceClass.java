package io.quorate.benchmarks.paper.alor;

import io.quorate.torture.testbed.disk.NodeDevices.Limit;

/**
 * The classes of devices in the paper. Here they are slower in proportion, so that devices and not
 * a few cores limit the throughput of a cluster on one machine. {@code quorate probe} estimates
 * that they store rows at rates of about 3.4 to 2.4 to 1.
 */
enum DeviceClass {
  /** Non-volatile memory. */
  N(new Limit(500, 50 << 20)),
  /** A fast SSD. */
  H(new Limit(333, 33 << 20)),
  /** A plain SSD. */
  P(new Limit(133, 15 << 20));

  private final Limit limit;

  DeviceClass(Limit limit) {
    this.limit = limit;
  }

  Limit limit() {
    return limit;
  }
}
