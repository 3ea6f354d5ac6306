package io.quorate.server.placement;

/**
 * The device with the data of a node, as the node reports it.
 *
 * @param speed the rate in bytes a second at which the device stores rows; 0 if it is not known
 * @param capacityBytes the most bytes of rows that the node is to hold
 * @param isSlow whether the device has become far slower than it usually is
 */
record NodeDevice(double speed, long capacityBytes, boolean isSlow) {
  /** What is assumed of a node that reports nothing of its device. */
  static final NodeDevice UNKNOWN = new NodeDevice(0, Long.MAX_VALUE, false);
}
