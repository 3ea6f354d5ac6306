package io.quorate.ratis.hibernation;

import io.quorate.common.Checksums;
import io.quorate.common.DamagedLogException;
import io.quorate.common.DecodeException;
import io.quorate.common.DurableFiles;
import io.quorate.common.FileErrors;
import io.quorate.common.ReplicaReads;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The groups of this node that hibernated when the node ended, and are not to be started when it
 * starts again: every member had all entries then, or is recorded as behind. Any other group has to
 * start, since a member may lack entries that it would only receive with the next use of the group.
 *
 * <p>Each marker is a file, the name of which is the number of the group, with a checksum and the
 * names of the members that were behind, one a line. One that cannot be read is deleted, and its
 * group starts. Thread-safe; what changes a marker blocks.
 */
final class HibernationMarkers {
  private static final Logger LOG = LoggerFactory.getLogger(HibernationMarkers.class);
  private static final int BYTES_MAX = 1 << 16;

  private final Path directory;
  private final Map<GroupId, Set<NodeId>> behind = new ConcurrentHashMap<>();

  private HibernationMarkers(Path directory) {
    this.directory = directory;
  }

  /**
   * Reads the markers in a directory, which is created if necessary. Blocks.
   *
   * @throws IOException if the directory cannot be read, or a damaged marker not be deleted
   */
  static HibernationMarkers open(Path directory) throws IOException {
    HibernationMarkers markers = new HibernationMarkers(Files.createDirectories(directory));
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        try {
          markers.behind.put(group(file), members(file));
        } catch (DamagedLogException e) {
          markers.discard(file, e);
        }
      }
    }
    return markers;
  }

  private static GroupId group(Path file) throws DamagedLogException {
    try {
      return new GroupId(Integer.parseInt(file.getFileName().toString()));
    } catch (IllegalArgumentException e) {
      throw new DamagedLogException("The file " + file + " does not name a group");
    }
  }

  private static Set<NodeId> members(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(ReplicaReads.all(file, BYTES_MAX));
    if (bytes.remaining() >= Integer.BYTES && bytes.getInt() == Checksums.of(bytes)) {
      try {
        return MemberNames.decode(bytes);
      } catch (DecodeException e) {
        // Reported below.
      }
    }
    throw new DamagedLogException("The file " + file + " does not name the members of a group");
  }

  /**
   * Deletes a marker, so that it does not count at the next start either: by then the group may
   * have entries that other members lack.
   */
  private void discard(Path file, DamagedLogException damage) throws IOException {
    LOG.warn("Discarding a damaged marker of a group that hibernated; the group starts", damage);
    try {
      Files.delete(file);
      DurableFiles.syncDirectory(directory);
    } catch (IOException e) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "The file %s is damaged and cannot be deleted (%s): delete it, and start the node again",
              file,
              FileErrors.reason(e)),
          e);
    }
  }

  boolean contains(GroupId group) {
    return behind.containsKey(group);
  }

  /** The members of a group that hibernates that were behind when it began to. */
  Set<NodeId> behind(GroupId group) {
    return behind.getOrDefault(group, Set.of());
  }

  /**
   * Durable when the call returns.
   *
   * @param members that are behind
   */
  synchronized void add(GroupId group, Set<NodeId> members) throws IOException {
    ByteBuffer names = MemberNames.encode(members);
    ByteBuffer content = ByteBuffer.allocate(Integer.BYTES + names.remaining());
    content.putInt(Checksums.of(names)).put(names).flip();
    DurableFiles.replace(file(group), draft(), content);
    behind.put(group, Set.copyOf(members));
  }

  /** Durable when the call returns. Has no effect without a marker. */
  void remove(GroupId group) throws IOException {
    if (behind.containsKey(group)) {
      Files.deleteIfExists(file(group));
      DurableFiles.syncDirectory(directory);
      behind.remove(group);
    }
  }

  private Path draft() {
    return directory.resolveSibling(directory.getFileName() + ".draft");
  }

  private Path file(GroupId group) {
    return directory.resolve(group.toString());
  }
}
