package io.quorate.common;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The files that this process has open. */
public final class OpenFiles {
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  private OpenFiles() {}

  /** Whether the system lists them. */
  public static boolean areListed() {
    return Files.exists(DESCRIPTORS);
  }

  /** The open files below a directory; empty where the system does not list them. */
  public static Set<Path> below(Path directory) throws IOException {
    Set<Path> files = new TreeSet<>();
    if (!areListed()) {
      return files;
    }
    try (Stream<Path> descriptors = Files.list(DESCRIPTORS)) {
      for (Path descriptor : descriptors.toList()) {
        target(descriptor).filter(file -> file.startsWith(directory)).ifPresent(files::add);
      }
    }
    return files;
  }

  /** The file of a descriptor; empty if the descriptor has been closed meanwhile. */
  private static Optional<Path> target(Path descriptor) throws IOException {
    try {
      return Optional.of(Files.readSymbolicLink(descriptor));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }
}
