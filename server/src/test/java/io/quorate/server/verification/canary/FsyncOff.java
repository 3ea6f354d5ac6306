package io.quorate.server.verification.canary;

import io.quorate.server.verification.agent.Defect;
import java.lang.instrument.Instrumentation;
import net.bytebuddy.asm.Advice;

/** Forcing a consensus log to the disk says that it is there, and does nothing. */
public final class FsyncOff implements Defect {
  @Override
  public void install(Instrumentation instrumentation) {
    Mutation.install(
        instrumentation, new Mutation("sun.nio.ch.FileChannelImpl", "force", Nothing.class));
  }

  /** In the place of the call to the system. */
  static final class Nothing {
    private Nothing() {}

    @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
    static boolean enter(@Advice.FieldValue("path") String path) {
      // Only logs: a node whose small files are empty after a power loss refuses to start, which
      // would end the torture before it finds what is lost.
      if (path == null) {
        return false;
      }
      String file = path.substring(path.lastIndexOf('/') + 1);
      return file.startsWith("log") || file.startsWith("segment-");
    }
  }
}
