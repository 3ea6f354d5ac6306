package io.quorate.ratis.hibernation;

import io.quorate.common.DurableFiles;
import io.quorate.consensus.GroupId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * The groups of this node that hibernated when the node ended, and are not to be started when it
 * starts again: every member had all entries then. Any other group has to start, since a member may
 * lack entries that it would only receive with the next use of the group.
 *
 * <p>Each marker is an empty file, the name of which is the number of the group. Thread-safe; what
 * changes a marker blocks.
 */
final class HibernationMarkers {
  private final Path directory;
  private final Set<GroupId> groups = ConcurrentHashMap.newKeySet();

  private HibernationMarkers(Path directory) {
    this.directory = directory;
  }

  /** Reads the markers in a directory, which is created if necessary. */
  static HibernationMarkers open(Path directory) throws IOException {
    HibernationMarkers markers = new HibernationMarkers(Files.createDirectories(directory));
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        try {
          markers.groups.add(new GroupId(Integer.parseInt(file.getFileName().toString())));
        } catch (IllegalArgumentException e) {
          throw new IOException("File " + file + " is damaged: its name is no group", e);
        }
      }
    }
    return markers;
  }

  boolean contains(GroupId group) {
    return groups.contains(group);
  }

  /** Durable when the call returns. */
  void add(GroupId group) throws IOException {
    if (groups.add(group)) {
      Files.createFile(file(group));
      DurableFiles.syncDirectory(directory);
    }
  }

  /** Durable when the call returns. Has no effect without a marker. */
  void remove(GroupId group) throws IOException {
    if (groups.contains(group)) {
      Files.deleteIfExists(file(group));
      DurableFiles.syncDirectory(directory);
      groups.remove(group);
    }
  }

  private Path file(GroupId group) {
    return directory.resolve(group.toString());
  }
}
