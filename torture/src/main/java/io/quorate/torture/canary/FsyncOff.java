package io.quorate.torture.canary;

import io.quorate.torture.testbed.agent.Defect;
import java.lang.instrument.Instrumentation;
import net.bytebuddy.asm.Advice;

/** An fsync of a consensus log returns as if it had succeeded, and does nothing. */
public final class FsyncOff implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    Mutation.install(
        instrumentation, new Mutation("sun.nio.ch.FileChannelImpl", "force", SkipForLogs.class));
  }

  /** Skips the system call for the files of consensus logs. */
  static final class SkipForLogs {
    private SkipForLogs() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter(@Advice.FieldValue("path") String path) {
      // Only logs: a node whose small files are empty after a power loss refuses to start, which
      // would end the torture before it detects the lost writes.
      if (path == null) {
        return false;
      }
      String file = path.substring(path.lastIndexOf('/') + 1);
      return file.endsWith(".log");
    }
  }
}
