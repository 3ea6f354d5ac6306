package io.quorate.torture.testbed.disk;

import io.quorate.common.DurableFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Random;

/** Files of a node that does not run are removed, or one is cut: what they held is lost. */
public enum FileLoss {
  /** The directory of all logs and votes. */
  CONSENSUS(true) {
    @Override
    public Optional<String> apply(Path data, Random random) throws IOException {
      return remove(data, data.resolve("consensus"));
    }
  },
  /** The directory that records which replicas the node has. */
  REPLICAS(true) {
    @Override
    public Optional<String> apply(Path data, Random random) throws IOException {
      return remove(data, data.resolve("replicas"));
    }
  },
  /** The log, with votes and members, of all regions. */
  LOG(true) {
    @Override
    public Optional<String> apply(Path data, Random random) throws IOException {
      return remove(data, log(data));
    }
  },
  /** The file of a log that was written last. */
  LOG_FILE(false) {
    @Override
    public Optional<String> apply(Path data, Random random) throws IOException {
      Optional<Path> log = Damage.newestLog(log(data));
      return log.isEmpty() ? Optional.empty() : remove(data, log.get());
    }
  },
  /** The second half of what is in the file of a log that was written last. */
  HALF_LOG_FILE(false) {
    @Override
    public Optional<String> apply(Path data, Random random) throws IOException {
      Optional<Path> log = Damage.newestLog(log(data));
      return log.isEmpty() ? Optional.empty() : Optional.of(cut(data, log.get()));
    }
  };

  private final boolean isRefused;

  FileLoss(boolean isRefused) {
    this.isRefused = isRefused;
  }

  /**
   * Loses files of this kind.
   *
   * @return what was lost; empty if there is nothing of this kind, and all is as before
   */
  public abstract Optional<String> apply(Path data, Random random) throws IOException;

  /** Whether the node must not start with what is left. */
  public boolean isRefused() {
    return isRefused;
  }

  /** The log of all regions; need not exist. */
  private static Path log(Path data) {
    return data.resolve("consensus").resolve("log");
  }

  private static Optional<String> remove(Path data, Path lost) throws IOException {
    if (!Files.exists(lost)) {
      return Optional.empty();
    }
    DurableFiles.deleteTree(lost);
    // A loss of power must not bring them back.
    DurableFiles.syncDirectory(lost.getParent());
    return Optional.of("removed " + data.relativize(lost));
  }

  private static String cut(Path data, Path file) throws IOException {
    long length = Damage.contentEnd(file) / 2;
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(length);
      channel.force(true);
    }
    return "cut " + data.relativize(file) + " to " + length + " bytes";
  }
}
