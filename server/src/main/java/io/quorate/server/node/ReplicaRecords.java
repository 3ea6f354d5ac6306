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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The regions of which this node has a replica, or parts of one. A record is durable before
 * anything of the replica exists, and until nothing of it is left. One thread; every method blocks.
 *
 * <p>All records are in one file, a line for each, so that any number of them change with two
 * fsyncs. In the format of former versions each is a file of its own, the name of which is the
 * number of the region.
 */
final class ReplicaRecords {
  private static final String FILE = "records";
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
    /**
     * The region was absorbed by another one: this node never has a replica of it again, also if
     * the topology that it knows after a restart is of before.
     */
    private static final Assigned ENDED = new Assigned(new RegionEpoch(Long.MAX_VALUE), 0);
  }

  private final Path directory;
  private final Map<GroupId, Assigned> assigned = new TreeMap<>();
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
    records.joined = Files.exists(directory.resolve(JOINED));
    Path file = directory.resolve(FILE);
    List<Path> formerFiles = formerFiles(directory);
    if (Files.exists(file)) {
      for (String line : Files.readAllLines(file, StandardCharsets.US_ASCII)) {
        records.read(file, line);
      }
    } else if (!formerFiles.isEmpty()) {
      for (Path former : formerFiles) {
        records.read(former, former.getFileName() + " " + Files.readString(former).strip());
      }
      records.write(records.assigned);
    }
    for (Path former : formerFiles) {
      Files.delete(former);
    }
    return records;
  }

  private static List<Path> formerFiles(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.getFileName().toString().matches("\\d+")).toList();
    }
  }

  private void read(Path file, String line) throws IOException {
    String[] fields = line.split(" ");
    try {
      if (fields.length < 2) {
        throw new IllegalArgumentException("A record has a region and an epoch.");
      }
      assigned.put(
          new GroupId(Integer.parseInt(fields[0])),
          new Assigned(
              new RegionEpoch(Long.parseLong(fields[1])),
              fields.length == 2 ? 0 : Long.parseLong(fields[2])));
    } catch (IllegalArgumentException e) {
      throw new IOException("File " + file + " is damaged: it has no epoch of a region", e);
    }
  }

  /** Empty if there is no replica. */
  Optional<Assigned> of(GroupId region) {
    return Optional.ofNullable(assigned.get(region)).filter(each -> !each.equals(Assigned.ENDED));
  }

  /** The regions of which there is a replica, or a part of one. */
  List<GroupId> regions() {
    return assigned.keySet().stream().filter(region -> of(region).isPresent()).toList();
  }

  /** Whether the region was absorbed by another one while this node had a replica of it. */
  boolean hasEnded(GroupId region) {
    return Assigned.ENDED.equals(assigned.get(region));
  }

  /** Records that nothing is left of a replica, and that its region was absorbed. */
  void end(GroupId region) throws IOException {
    put(region, Assigned.ENDED);
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

  /** Adds or replaces a record. */
  void put(GroupId region, Assigned replica) throws IOException {
    putAll(Map.of(region, replica));
  }

  /** Adds or replaces records: after a power failure there are all of them or none. */
  void putAll(Map<GroupId, Assigned> replicas) throws IOException {
    Map<GroupId, Assigned> changed = new TreeMap<>(assigned);
    changed.putAll(replicas);
    write(changed);
    assigned.putAll(replicas);
  }

  void delete(GroupId region) throws IOException {
    Map<GroupId, Assigned> changed = new TreeMap<>(assigned);
    changed.remove(region);
    write(changed);
    assigned.remove(region);
  }

  private void write(Map<GroupId, Assigned> records) throws IOException {
    StringBuilder lines = new StringBuilder();
    records.forEach(
        (region, replica) ->
            lines.append(region + " " + replica.epoch() + " " + replica.joinedBy() + "\n"));
    DurableFiles.replace(
        directory.resolve(FILE),
        directory.resolve(DRAFT),
        StandardCharsets.US_ASCII.encode(lines.toString()));
  }
}
