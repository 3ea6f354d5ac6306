package io.quorate.ratis.hibernation;

import io.quorate.common.DecodeException;
import io.quorate.common.DurableFiles;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The groups of this node that hibernated when the node ended, and are not to be started when it
 * starts again: every member had all entries then, or is recorded as behind. Any other group has to
 * start, since a member may lack entries that it would only receive with the next use of the group.
 *
 * <p>Each marker is a file, the name of which is the number of the group, with the names of the
 * members that were behind, one a line. Thread-safe; what changes a marker blocks.
 */
final class HibernationMarkers {
  private final Path directory;
  private final Map<GroupId, Set<NodeId>> behind = new ConcurrentHashMap<>();

  private HibernationMarkers(Path directory) {
    this.directory = directory;
  }

  /** Reads the markers in a directory, which is created if necessary. */
  static HibernationMarkers open(Path directory) throws IOException {
    HibernationMarkers markers = new HibernationMarkers(Files.createDirectories(directory));
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        try {
          markers.behind.put(
              new GroupId(Integer.parseInt(file.getFileName().toString())),
              MemberNames.decode(ByteBuffer.wrap(Files.readAllBytes(file))));
        } catch (IllegalArgumentException | DecodeException e) {
          throw new IOException(
              "File " + file + " is damaged: it does not name a group and its members", e);
        }
      }
    }
    return markers;
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
    DurableFiles.replace(file(group), draft(), MemberNames.encode(members));
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
