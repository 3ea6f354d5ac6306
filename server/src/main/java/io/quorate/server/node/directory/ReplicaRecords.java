package io.quorate.server.node.directory;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.common.Checksums;
import io.quorate.common.DurableFiles;
import io.quorate.common.FileErrors;
import io.quorate.consensus.BegunReplicas;
import io.quorate.model.GroupId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * The regions of which this node has a replica, or parts of one. A record is durable before
 * anything of the replica exists, and until nothing of it is left. Any thread; a method that
 * changes a record blocks.
 *
 * <p>All records are in one file, a line for each after a line with their checksum, so that any
 * number of them change with two fsyncs. The file exists from the first start on.
 */
public final class ReplicaRecords implements BegunReplicas {
  private static final String FILE = "records";

  /** Precedes the checksum of the lines that follow, in hexadecimal digits. */
  private static final String HEADER = "replicas 2 ";

  private static final String BEGUN = "begun";
  private static final String LOST = "lost";
  private static final String DRAFT = "draft";

  /**
   * Exists once this node has received the topology of its cluster, and has the id of its founding
   * and a checksum.
   */
  private static final String JOINED = "joined";

  /**
   * What is recorded of a replica.
   *
   * @param epoch the last epoch in which it was assigned, as far as this node knows
   * @param joinedBy the epoch of the plan by which it joined its group, or a later one in which it
   *     was no member; 0 if its group began with it
   * @param hasBegun whether it may have voted or acknowledged something: its files must exist
   * @param isLost whether its rows are not those of the other replicas, or are gone: it is not
   *     opened again
   */
  public record Assigned(RegionEpoch epoch, long joinedBy, boolean hasBegun, boolean isLost) {
    /**
     * The region was absorbed by another one: this node never has a replica of it again, also if
     * the topology that it knows after a restart is of before.
     */
    private static final Assigned ENDED = new Assigned(new RegionEpoch(Long.MAX_VALUE), 0);

    /** A replica that has not begun. */
    public Assigned(RegionEpoch epoch, long joinedBy) {
      this(epoch, joinedBy, false, false);
    }

    /** The same, in a later epoch. */
    public Assigned in(RegionEpoch later) {
      return new Assigned(later, joinedBy, hasBegun, isLost);
    }
  }

  private final Path directory;
  private final Map<GroupId, Assigned> assigned = new TreeMap<>();
  private Optional<UUID> founding = Optional.empty();

  private ReplicaRecords(Path directory) {
    this.directory = directory;
  }

  /** Creates the directory, durably and at once. Replaces what an interrupted call left. */
  public static void create(Path directory) throws IOException {
    Path draft = directory.resolveSibling(directory.getFileName() + ".draft");
    DurableFiles.deleteTree(draft);
    DurableFiles.deleteTree(directory);
    Files.createDirectory(draft);
    DurableFiles.write(draft.resolve(FILE), encode(Map.of()));
    DurableFiles.syncDirectory(draft);
    Files.move(draft, directory, StandardCopyOption.ATOMIC_MOVE);
    DurableFiles.syncDirectory(directory.toAbsolutePath().getParent());
  }

  /**
   * Reads all records.
   *
   * @throws IOException if the records are missing, damaged or cannot be read
   */
  public static ReplicaRecords open(Path directory) throws IOException {
    ReplicaRecords records = new ReplicaRecords(directory);
    Path file = directory.resolve(FILE);
    records.founding = founding(directory.resolve(JOINED));
    try {
      records.read(Files.readString(file, StandardCharsets.ISO_8859_1));
    } catch (IOException | IllegalArgumentException e) {
      String detail =
          e instanceof IOException failure ? FileErrors.describe(failure) : e.getMessage();
      throw new IOException(
          "The file "
              + file
              + ", which records the replicas of this node, is missing or damaged ("
              + detail
              + "): "
              + FileErrors.REMEDY,
          e);
    }
    return records;
  }

  private void read(String text) {
    int end = text.indexOf('\n');
    String lines = text.substring(end + 1);
    if (!text.substring(0, Math.max(end, 0)).equals(HEADER + checksum(lines))) {
      throw new IllegalArgumentException(
          text.isEmpty() ? "it is empty" : "its checksum does not match");
    }
    lines.lines().forEach(this::readLine);
  }

  private void readLine(String line) {
    String[] fields = line.split(" ");
    if (fields.length < 3) {
      throw new IllegalArgumentException("it has no epoch of a region");
    }
    assigned.put(
        new GroupId(Integer.parseInt(fields[0])),
        new Assigned(
            new RegionEpoch(Long.parseLong(fields[1])),
            Long.parseLong(fields[2]),
            has(fields, BEGUN),
            has(fields, LOST)));
  }

  private static boolean has(String[] fields, String word) {
    return Arrays.asList(fields).subList(3, fields.length).contains(word);
  }

  /** Empty if there is no replica. */
  public synchronized Optional<Assigned> of(GroupId region) {
    return Optional.ofNullable(assigned.get(region)).filter(each -> !each.equals(Assigned.ENDED));
  }

  /** The regions of which there is a replica, or a part of one. */
  public synchronized List<GroupId> regions() {
    return assigned.keySet().stream().filter(region -> of(region).isPresent()).toList();
  }

  /** The replicas that are {@linkplain Assigned#isLost lost}. */
  public synchronized List<GroupId> lost() {
    return regions().stream().filter(region -> assigned.get(region).isLost()).toList();
  }

  /** Whether the region was absorbed by another one while this node had a replica of it. */
  public synchronized boolean hasEnded(GroupId region) {
    return Assigned.ENDED.equals(assigned.get(region));
  }

  /** Records that nothing is left of a replica, and that its region was absorbed. */
  public synchronized void end(GroupId region) throws IOException {
    put(region, Assigned.ENDED);
  }

  /** Whether the node has received the topology of its cluster at any time. */
  public synchronized boolean hasJoined() {
    return founding.isPresent();
  }

  /** The founding of the cluster whose topology the node has received; empty before. */
  public synchronized Optional<UUID> founding() {
    return founding;
  }

  /** Records that the node has received the topology of the cluster that was founded as this. */
  public synchronized void join(UUID id) throws IOException {
    if (founding.isEmpty()) {
      String line = id + " " + Checksums.of(id.toString()) + "\n";
      DurableFiles.replace(
          directory.resolve(JOINED),
          directory.resolve(DRAFT),
          StandardCharsets.US_ASCII.encode(line));
      founding = Optional.of(id);
    }
  }

  private static Optional<UUID> founding(Path file) throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    String[] words = Files.readString(file, StandardCharsets.ISO_8859_1).split("[ \n]");
    if (words.length != 2 || !words[1].equals(Checksums.of(words[0]))) {
      throw new IOException(
          "The file "
              + file
              + ", which records to which cluster this node belongs, is damaged (its checksum does not"
              + " match): "
              + FileErrors.REMEDY);
    }
    return Optional.of(UUID.fromString(words[0]));
  }

  /** Adds or replaces a record. */
  public synchronized void put(GroupId region, Assigned replica) throws IOException {
    putAll(Map.of(region, replica));
  }

  /** Adds or replaces records: after a power failure there are all of them or none. */
  public synchronized void putAll(Map<GroupId, Assigned> replicas) throws IOException {
    Map<GroupId, Assigned> changed = new TreeMap<>(assigned);
    changed.putAll(replicas);
    write(changed);
    assigned.putAll(replicas);
  }

  public synchronized void delete(GroupId region) throws IOException {
    Map<GroupId, Assigned> changed = new TreeMap<>(assigned);
    changed.remove(region);
    write(changed);
    assigned.remove(region);
  }

  @Override
  public synchronized boolean contains(GroupId group) {
    return of(group).filter(Assigned::hasBegun).isPresent();
  }

  /**
   * Records that the rows of all replicas are gone which may have acknowledged something. None of
   * them is opened any more: the votes and the log of a replica say that it has its rows.
   */
  public synchronized void loseRows() throws IOException {
    Map<GroupId, Assigned> changed = new TreeMap<>();
    for (GroupId region : regions()) {
      Assigned replica = of(region).orElseThrow();
      if (replica.hasBegun()) {
        changed.put(region, new Assigned(replica.epoch(), replica.joinedBy(), true, true));
      }
    }
    putAll(changed);
  }

  /** Whether there is any replica that has begun. */
  public synchronized boolean hasBegunAny() {
    return assigned.values().stream().anyMatch(Assigned::hasBegun);
  }

  @Override
  public synchronized void add(GroupId group) throws IOException {
    Assigned replica = of(group).orElseThrow();
    if (!replica.hasBegun()) {
      put(group, new Assigned(replica.epoch(), replica.joinedBy(), true, replica.isLost()));
    }
  }

  /** Records that a replica is lost although its files can be read. */
  public synchronized void lose(GroupId group) throws IOException {
    Assigned replica = of(group).orElseThrow();
    put(group, new Assigned(replica.epoch(), replica.joinedBy(), replica.hasBegun(), true));
  }

  private void write(Map<GroupId, Assigned> records) throws IOException {
    DurableFiles.replace(directory.resolve(FILE), directory.resolve(DRAFT), encode(records));
  }

  private static ByteBuffer encode(Map<GroupId, Assigned> records) {
    StringBuilder lines = new StringBuilder();
    records.forEach(
        (region, replica) ->
            lines
                .append(region + " " + replica.epoch() + " " + replica.joinedBy())
                .append(replica.hasBegun() ? " " + BEGUN : "")
                .append(replica.isLost() ? " " + LOST : "")
                .append('\n'));
    return StandardCharsets.US_ASCII.encode(HEADER + checksum(lines.toString()) + "\n" + lines);
  }

  private static String checksum(String lines) {
    CRC32C crc = new CRC32C();
    crc.update(lines.getBytes(StandardCharsets.ISO_8859_1));
    return Long.toHexString(crc.getValue());
  }
}
