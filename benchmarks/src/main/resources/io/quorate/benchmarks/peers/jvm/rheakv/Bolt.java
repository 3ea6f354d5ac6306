package peer;

/** The settings of Bolt, by which clients and nodes communicate. */
final class Bolt {
  private static final int LOW_WATER_MARK_BYTES = 16 << 20;
  private static final int HIGH_WATER_MARK_BYTES = 32 << 20;

  private Bolt() {}

  /** Must be called before its classes are loaded. */
  static void configure() {
    // By default calls fail where more than 512 KiB are in flight to a node: eight large values.
    set("bolt.channel_write_buf_low_water_mark", LOW_WATER_MARK_BYTES);
    set("bolt.channel_write_buf_high_water_mark", HIGH_WATER_MARK_BYTES);
    // It has a log of its own otherwise.
    System.setProperty("sofa.middleware.log.disable", "true");
  }

  private static void set(String property, int bytes) {
    System.setProperty(property, Integer.toString(bytes));
  }
}
