package io.quorate.rabia.transport;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.disk.DurableFiles;
import io.quorate.failpoint.Failpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The durable memory of which disk each node greets with, this one included. A replica with an
 * empty disk and an old name would vote as if it remembered (P1, S3); so a node is one disk for
 * ever, and another one gets a new name.
 *
 * <p>Any thread may ask; the answers are always of what is on disk. Learning blocks on an fsync. A
 * write that failed is the last: whether it reached the disk is unknown, so from then on every
 * further one is refused.
 */
public final class PeerIdentities {
  /** The file's name in the engine's directory. */
  public static final String FILE = "identities";

  private static final String DRAFT = FILE + ".draft";
  private static final long FILE_BYTES_MAX = 1 << 20;

  /** A new version of the file is about to be made durable; the subject is the node it is about. */
  static final Failpoint BEFORE_WRITE = Failpoint.named("rabia.identities.before-write");

  /** How a disk that a node greets with compares to what is known. */
  enum Standing {
    KNOWN,
    UNKNOWN,
    /** The node is known by another one. */
    OTHER
  }

  private final Path directory;
  private volatile KnownPeers durable;
  private boolean broken;

  private PeerIdentities(Path directory, KnownPeers durable) {
    this.directory = directory;
    this.durable = durable;
  }

  /**
   * Reads the file, or makes it with a new identity where the directory is empty. Blocks.
   *
   * <p>To be opened before anything else is written to the directory: files without this one mean
   * that it was lost, and a new identity would let them vote under an old name.
   *
   * @param directory the engine's own; exists
   * @throws IOException if the file is damaged, missing beside other files, of another cluster or
   *     node, or cannot be written; the sentence names it
   */
  public static PeerIdentities open(Path directory, UUID cluster, NodeId self) throws IOException {
    Path file = directory.resolve(FILE);
    if (Files.exists(file)) {
      return new PeerIdentities(directory, requireOwn(read(file), cluster, self, file));
    }
    requireEmpty(directory, file);
    LocalIdentity fresh = new LocalIdentity(cluster, self, UUID.randomUUID());
    PeerIdentities identities = new PeerIdentities(directory, new KnownPeers(fresh, Map.of()));
    identities.write(self, identities.durable);
    return identities;
  }

  /** Who this node is. */
  public LocalIdentity self() {
    return durable.self();
  }

  /** The identity that a peer first greeted with. */
  public Optional<UUID> diskOf(NodeId peer) {
    return Optional.ofNullable(durable.peers().get(peer)).map(KnownPeers.Peer::disk);
  }

  /** The peers that have accepted this node by its present disk, ever. */
  public Set<NodeId> acceptedBy() {
    return durable.peers().entrySet().stream()
        .filter(entry -> entry.getValue().acceptedUs())
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Whether this node may speak in a group of these members; see {@link Formation}. Once true of
   * some members it stays true of them.
   */
  public boolean hasFormed(Collection<NodeId> members) {
    return Formation.hasFormed(self().node(), members, acceptedBy());
  }

  int size() {
    return durable.peers().size();
  }

  Standing standing(NodeId peer, UUID disk) {
    KnownPeers.Peer known = durable.peers().get(peer);
    if (known == null) {
      return Standing.UNKNOWN;
    }
    return known.disk().equals(disk) ? Standing.KNOWN : Standing.OTHER;
  }

  boolean isAcceptedBy(NodeId peer) {
    KnownPeers.Peer known = durable.peers().get(peer);
    return known != null && known.acceptedUs();
  }

  /**
   * Writes down by which disk a peer goes, if it is not known. Blocks.
   *
   * @return whether it goes by this one
   * @throws IOException if it could not be made durable; then it is not known, but may be after a
   *     restart
   */
  synchronized boolean learn(NodeId peer, UUID disk) throws IOException {
    Standing standing = standing(peer, disk);
    if (standing == Standing.UNKNOWN) {
      write(peer, durable.with(peer, new KnownPeers.Peer(disk, false)));
    }
    return standing != Standing.OTHER;
  }

  /** The same, for a peer that has accepted this node. Blocks. */
  synchronized boolean learnAcceptance(NodeId peer, UUID disk) throws IOException {
    if (standing(peer, disk) == Standing.OTHER) {
      return false;
    }
    if (!isAcceptedBy(peer)) {
      write(peer, durable.with(peer, new KnownPeers.Peer(disk, true)));
    }
    return true;
  }

  private synchronized void write(NodeId about, KnownPeers next) throws IOException {
    Path file = directory.resolve(FILE);
    if (broken) {
      throw new IOException(
          "The file " + file + " could not be written before; restart this node.");
    }
    broken = true;
    try {
      BEFORE_WRITE.reached(about);
      DurableFiles.replace(file, directory.resolve(DRAFT), ByteBuffer.wrap(next.encoded()));
    } catch (IOException e) {
      throw new IOException("The file " + file + " cannot be written: " + e.getMessage() + ".", e);
    }
    durable = next;
    broken = false;
  }

  private static KnownPeers read(Path file) throws IOException {
    long bytes = Files.size(file);
    if (bytes > FILE_BYTES_MAX) {
      throw damaged(file, "it has " + bytes + " bytes, and at most " + FILE_BYTES_MAX + " do");
    }
    try {
      return KnownPeers.decode(Files.readAllBytes(file));
    } catch (IllegalArgumentException e) {
      throw damaged(file, e.getMessage());
    }
  }

  private static IOException damaged(Path file, String how) {
    return new IOException(
        "The file "
            + file
            + " is damaged: "
            + how
            + ". Replace this node by one with a new id and an empty directory.");
  }

  private static KnownPeers requireOwn(KnownPeers known, UUID cluster, NodeId node, Path file)
      throws IOException {
    LocalIdentity self = known.self();
    if (self.cluster().equals(cluster) && self.node().equals(node)) {
      return known;
    }
    throw new IOException(
        "The file "
            + file
            + " is of node "
            + self.node()
            + " of cluster "
            + self.cluster()
            + ", and this is node "
            + node
            + " of cluster "
            + cluster
            + "; give each node its own directory.");
  }

  private static void requireEmpty(Path directory, Path file) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      // A first start that was interrupted leaves a draft.
      if (entries.anyMatch(entry -> !entry.getFileName().toString().equals(DRAFT))) {
        throw new IOException(
            "The file "
                + file
                + " is missing beside other files. Put it back, or replace this node by one with a"
                + " new id and an empty directory.");
      }
    }
  }
}
