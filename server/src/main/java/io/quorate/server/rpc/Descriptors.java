package io.quorate.server.rpc;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Optional;

/** The file descriptors of this process, which connections share with the files of the database. */
final class Descriptors {
  /** For files and for the connections between nodes. */
  private static final long RESERVED = 1024;

  private Descriptors() {}

  /** What is wrong with a bound on connections, if anything is; one sentence. */
  static Optional<String> problem(int connections) {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? problem(connections, unix.getMaxFileDescriptorCount())
        : Optional.empty();
  }

  static Optional<String> problem(int connections, long descriptorsMax) {
    if (connections <= descriptorsMax - RESERVED) {
      return Optional.empty();
    }
    return Optional.of(
        "This process may open "
            + descriptorsMax
            + " files, and "
            + connections
            + " connections (rpc.connections) would leave fewer than "
            + RESERVED
            + " of them for the database, which then stops: raise the limit of the process"
            + " (ulimit -n, LimitNOFILE), or lower rpc.connections.");
  }
}
