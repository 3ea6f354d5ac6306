package io.quorate.ratis.hibernation;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.ManagementFactory;

/** The memory outside the heap that buffers may occupy in this JVM. */
public final class DirectMemory {
  private DirectMemory() {}

  /** In bytes; without a limit of its own, a JVM has as much of it as of the heap. */
  public static long max() {
    String limit =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
            .getVMOption("MaxDirectMemorySize")
            .getValue();
    long bytes = Long.parseLong(limit);
    return bytes > 0 ? bytes : Runtime.getRuntime().maxMemory();
  }
}
