package io.quorate.server.node;

import io.quorate.client.RegionEpoch;
import io.quorate.common.DurableFiles;
import io.quorate.consensus.GroupId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The regions of which this node has a replica, or parts of one. A record is durable before
 * anything of the replica exists, and until nothing of it is left. One thread; every method blocks.
 *
 * <p>Each record is a file, the name of which is the number of the region.
 */
final class ReplicaRecords {
  private static final String DRAFT = "draft";

  /** Exists once this node has received the topology of its cluster. */
  private static final String JOINED = "joined";

  /**
   * What is recorded of a replica.
   *
   * @param epoch the last epoch in which it was assigned, as far as this node knows
   * @param joinedBy the epoch of the plan by which it joined its group, or a later one in which it
   *     was no member; 0 if its group began with it, or a former version recorded it
   */
  record Assigned(RegionEpoch epoch, long joinedBy) {
    private String line() {
      return joinedBy == 0 ? epoch + "\n" : epoch + " " + joinedBy + "\n";
    }

    private static Assigned parse(String line) {
      String[] fields = line.strip().split(" ");
      return new Assigned(
          new RegionEpoch(Long.parseLong(fields[0])),
          fields.length == 1 ? 0 : Long.parseLong(fields[1]));
    }
  }

  private final Path directory;
  private final Map<GroupId, Assigned> assigned = new HashMap<>();
  private boolean joined;

  private ReplicaRecords(Path directory) {
    this.directory = directory;
  }

  /**
   * Creates the directory, durably and at once. Replaces what an interrupted call left.
   *
   * @param joined whether the node has received the topology of its cluster
   */
  static void create(Path directory, boolean joined) throws IOException {
    Path draft = directory.resolveSibling(directory.getFileName() + ".draft");
    DurableFiles.deleteTree(draft);
    DurableFiles.deleteTree(directory);
    Files.createDirectory(draft);
    if (joined) {
      Files.createFile(draft.resolve(JOINED));
    }
    DurableFiles.syncDirectory(draft);
    Files.move(draft, directory, StandardCopyOption.ATOMIC_MOVE);
    DurableFiles.syncDirectory(directory.toAbsolutePath().getParent());
  }

  /**
   * Reads all records.
   *
   * @param directory exists
   * @throws IOException if a record cannot be read or is damaged
   */
  static ReplicaRecords open(Path directory) throws IOException {
    ReplicaRecords records = new ReplicaRecords(directory);
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.equals(JOINED)) {
          records.joined = true;
        } else if (!name.equals(DRAFT)) {
          records.read(file);
        }
      }
    }
    return records;
  }

  private void read(Path file) throws IOException {
    try {
      assigned.put(
          new GroupId(Integer.parseInt(file.getFileName().toString())),
          Assigned.parse(Files.readString(file)));
    } catch (IllegalArgumentException e) {
      throw new IOException("File " + file + " is damaged: it has no epoch of a region", e);
    }
  }

  /** Empty if there is no replica. */
  Optional<Assigned> of(GroupId region) {
    return Optional.ofNullable(assigned.get(region));
  }

  /** Whether the node has received the topology of its cluster at any time. */
  boolean hasJoined() {
    return joined;
  }

  /** Records that the node has received the topology. */
  void join() throws IOException {
    if (!joined) {
      DurableFiles.replace(
          directory.resolve(JOINED), directory.resolve(DRAFT), ByteBuffer.allocate(0));
      joined = true;
    }
  }

  void put(GroupId region, Assigned replica) throws IOException {
    DurableFiles.replace(
        file(region),
        directory.resolve(DRAFT),
        ByteBuffer.wrap(replica.line().getBytes(StandardCharsets.US_ASCII)));
    assigned.put(region, replica);
  }

  void delete(GroupId region) throws IOException {
    Files.deleteIfExists(file(region));
    DurableFiles.syncDirectory(directory);
    assigned.remove(region);
  }

  private Path file(GroupId region) {
    return directory.resolve(region.toString());
  }
}
