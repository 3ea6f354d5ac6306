package io.quorate.benchmarks.peers.contender;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Commands whose processes are killed by Linux when the thread that started them ends, for example
 * because its process was killed. That requires the program {@code setpriv} of util-linux; without
 * it, commands are not changed.
 */
final class EndWithParent {
  private static final String PROGRAM = "setpriv";
  private static final List<String> OPTIONS = List.of("--pdeathsig", "KILL");

  private static final List<String> PREFIX = prefix();

  private EndWithParent() {}

  /** Whether this system can do it. */
  static boolean isSupported() {
    return !PREFIX.isEmpty();
  }

  /**
   * The command that starts the same program, in the same process. One whose program does not exist
   * is not changed, so that its start reports that.
   */
  static List<String> command(List<String> command) {
    Path program = Path.of(command.get(0));
    boolean exists =
        program.isAbsolute()
            ? Files.isExecutable(program)
            : Programs.installed(command.get(0)).isPresent();
    if (!exists) {
      return command;
    }
    List<String> all = new ArrayList<>(PREFIX);
    all.addAll(command);
    return all;
  }

  /** Empty if there is no such program, or an implementation without the option. */
  private static List<String> prefix() {
    Optional<Path> program = Programs.installed(PROGRAM);
    if (program.isEmpty()) {
      return List.of();
    }
    List<String> prefix = new ArrayList<>();
    prefix.add(program.get().toString());
    prefix.addAll(OPTIONS);
    List<String> probe = new ArrayList<>(prefix);
    probe.add("true");
    try {
      Process process =
          new ProcessBuilder(probe)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor() == 0 ? prefix : List.of();
    } catch (IOException e) {
      return List.of();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return List.of();
    }
  }
}
