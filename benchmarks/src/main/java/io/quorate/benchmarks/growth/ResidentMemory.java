package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.cluster.ProcessUse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The resident memory of JVMs, each after a garbage collection if the JDK has {@code jcmd}. */
final class ResidentMemory {
  private static final Path JCMD = Path.of(System.getProperty("java.home"), "bin", "jcmd");

  private ResidentMemory() {}

  /**
   * The mean of some processes, in bytes. Blocks.
   *
   * @throws IOException if a process has ended
   */
  static double mean(List<ProcessHandle> processes) throws IOException, InterruptedException {
    double sum = 0;
    for (ProcessHandle each : processes) {
      collectGarbage(each.pid());
      sum += ProcessUse.of(each.pid()).residentBytes();
    }
    return sum / processes.size();
  }

  /** Returns unused heap to the system, which would make memory depend on the past. */
  private static void collectGarbage(long pid) throws IOException, InterruptedException {
    if (Files.isExecutable(JCMD)) {
      new ProcessBuilder(JCMD.toString(), Long.toString(pid), "GC.run")
          .redirectErrorStream(true)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .start()
          .waitFor();
    }
  }
}
