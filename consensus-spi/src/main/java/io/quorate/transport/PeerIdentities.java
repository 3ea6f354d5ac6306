package io.quorate.transport;

import io.quorate.common.DurableFiles;
import io.quorate.common.Failpoint;
import io.quorate.consensus.NodeDisks;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Starts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The durable record of the disk identity of each node, including this one. A replica with an empty
 * disk and an old id would vote without its earlier votes (P1, S3); so under {@link
 * OtherDisk#REFUSED} a node has one disk, until the cluster has registered another one for it
 * ({@link NodeDisks}): by then its replicas on the former disk do not vote any more.
 *
 * <p>Any thread may read; only what is on disk is returned. Recording an identity blocks on an
 * fsync. After a failed write its effect on the disk is unknown, so under {@link OtherDisk#REFUSED}
 * every further write is refused.
 */
public final class PeerIdentities {
  private static final Logger LOG = LoggerFactory.getLogger(PeerIdentities.class);

  /** The file's name in the engine's directory. */
  public static final String FILE = "identities";

  /** What happens when a node presents another disk than the one that is recorded for it. */
  public enum OtherDisk {
    /** The node is refused. */
    REFUSED,
    /**
     * The new disk replaces the recorded one, with a warning: for an engine whose votes do not pass
     * through the transport, so that a refusal would not prevent them.
     */
    RECORDED
  }

  private static final String DRAFT = FILE + ".draft";
  private static final long FILE_BYTES_MAX = 1 << 20;
  private static final int WARNINGS_MAX = 1024;

  /**
   * A new version of the file is about to be made durable; the subject is the recorded node. The
   * name is the same under every engine.
   */
  static final Failpoint BEFORE_WRITE = Failpoint.named("transport.identities.before-write");

  /** How the disk that a node presents compares to the recorded one. */
  enum Standing {
    KNOWN,
    UNKNOWN,
    /** Another disk is recorded for the node. */
    OTHER,
    /** A start of the node is recorded that its disk lacks: it is an older copy. */
    OUTDATED
  }

  private final Path directory;
  private final String section;
  private final OtherDisk otherDisk;
  private final NodeDisks disks;
  private volatile KnownPeers durable;
  private boolean broken;
  private final Set<UUID> disksWarnedOf = new HashSet<>();

  private PeerIdentities(
      Path directory, String section, OtherDisk otherDisk, NodeDisks disks, KnownPeers durable) {
    this.directory = directory;
    this.section = section;
    this.otherDisk = otherDisk;
    this.disks = disks;
    this.durable = durable;
  }

  /**
   * Reads the file, or creates it with a new identity if the directory is empty. Blocks.
   *
   * <p>Must be called before anything else is written to the directory: other files without this
   * one mean that it was lost, and with a new identity they would vote under an old id.
   *
   * @param directory the directory of the engine; must exist
   * @param section the engine's section, which the first line of the file contains
   * @param otherDisk what happens to a node whose disk was replaced
   * @param disks the identity of a new directory, and which disks are registered for nodes
   * @throws IOException if the file is damaged (under {@link OtherDisk#RECORDED} it is replaced
   *     instead), missing beside other files, of another cluster or node, or cannot be written; the
   *     message names the file
   */
  public static PeerIdentities open(
      Path directory,
      String section,
      OtherDisk otherDisk,
      NodeDisks disks,
      UUID cluster,
      NodeId self)
      throws IOException {
    Path file = directory.resolve(FILE);
    Optional<KnownPeers> known = recorded(file, section, otherDisk);
    if (known.isPresent()) {
      KnownPeers own = requireOwn(known.get(), cluster, self, file).at(disks.starts());
      return new PeerIdentities(directory, section, otherDisk, disks, own);
    }
    requireEmpty(directory, file);
    LocalIdentity fresh = new LocalIdentity(cluster, self, disks.own(), disks.starts());
    PeerIdentities identities =
        new PeerIdentities(directory, section, otherDisk, disks, new KnownPeers(fresh, Map.of()));
    identities.write(self, identities.durable);
    return identities;
  }

  /**
   * The content of the file, if there is one. A damaged file is discarded where no vote depends on
   * it.
   */
  private static Optional<KnownPeers> recorded(Path file, String section, OtherDisk otherDisk)
      throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      return Optional.of(read(file, section));
    } catch (DamagedFileException e) {
      if (otherDisk == OtherDisk.REFUSED) {
        throw new IOException(
            e.getMessage() + " Replace this node by one with a new id and an empty directory.", e);
      }
      LOG.warn("{} This node creates a new identity.", e.getMessage());
      Files.delete(file);
      return Optional.empty();
    }
  }

  /** The identity of this node. */
  public LocalIdentity self() {
    return durable.self();
  }

  /** The disk that is recorded for a peer. */
  public Optional<UUID> diskOf(NodeId peer) {
    return Optional.ofNullable(durable.peers().get(peer)).map(KnownPeers.Peer::disk);
  }

  /** The peers that have accepted this node's present disk at any time. */
  public Set<NodeId> acceptedBy() {
    return durable.peers().entrySet().stream()
        .filter(entry -> entry.getValue().acceptsThisNode())
        .map(Map.Entry::getKey)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * Whether this node may send messages in a group of these members; see {@link FormationQuorum}.
   * Once true for some members, it stays true for them.
   */
  public boolean hasFormed(Collection<NodeId> members) {
    return FormationQuorum.hasFormed(self().node(), members, acceptedBy());
  }

  int size() {
    return durable.peers().size();
  }

  Standing standing(LocalIdentity peer) {
    KnownPeers.Peer known = durable.peers().get(peer.node());
    if (known == null) {
      return Standing.UNKNOWN;
    }
    if (known.disk().equals(peer.disk())) {
      return known.start().filter(start -> !peer.starts().mayFollow(start)).isPresent()
          ? Standing.OUTDATED
          : isRecorded(peer.starts(), known) ? Standing.KNOWN : Standing.UNKNOWN;
    }
    return otherDisk == OtherDisk.RECORDED || disks.registered().test(peer.node(), peer.disk())
        ? Standing.UNKNOWN
        : Standing.OTHER;
  }

  private static boolean isRecorded(Starts starts, KnownPeers.Peer known) {
    return starts.newest().isEmpty() || starts.newest().equals(known.start());
  }

  /** Another node has shown that this one has an older copy of its disk. Does not block. */
  void outdated(String sentence) {
    disks.outdated().accept(sentence);
  }

  boolean isAcceptedBy(NodeId peer) {
    KnownPeers.Peer known = durable.peers().get(peer);
    return known != null && known.acceptsThisNode();
  }

  /**
   * Records the disk of a peer and its present start, if none is recorded, or others that this node
   * may replace. Blocks.
   *
   * @return how the peer compares to what is recorded afterwards
   * @throws IOException if the record could not be made durable; it does not count then, but may
   *     exist after a restart
   */
  synchronized Standing learn(LocalIdentity peer) throws IOException {
    Standing standing = standing(peer);
    if (standing == Standing.UNKNOWN) {
      boolean isSameDisk = diskOf(peer.node()).equals(Optional.of(peer.disk()));
      record(peer, isSameDisk && isAcceptedBy(peer.node()));
      return Standing.KNOWN;
    }
    return standing;
  }

  /** The same, for a peer that has accepted this node. Blocks. */
  synchronized Standing learnAcceptance(LocalIdentity peer) throws IOException {
    Standing standing = standing(peer);
    if (standing == Standing.UNKNOWN || standing == Standing.KNOWN && !isAcceptedBy(peer.node())) {
      record(peer, true);
      return Standing.KNOWN;
    }
    return standing;
  }

  private void record(LocalIdentity peer, boolean acceptsThisNode) throws IOException {
    warnOfOther(peer.node(), peer.disk());
    write(
        peer.node(),
        durable.with(
            peer.node(),
            new KnownPeers.Peer(peer.disk(), peer.starts().newest(), acceptsThisNode)));
  }

  private void warnOfOther(NodeId peer, UUID disk) {
    diskOf(peer)
        .filter(recorded -> !recorded.equals(disk))
        // Two nodes of one name would present their disks in turn.
        .filter(recorded -> disksWarnedOf.size() < WARNINGS_MAX && disksWarnedOf.add(disk))
        .ifPresent(
            recorded ->
                LOG.warn(
                    "A node has another disk than before; if it was emptied, its votes are lost"
                        + " node={} before={} now={}",
                    peer,
                    recorded,
                    disk));
  }

  private synchronized void write(NodeId about, KnownPeers next) throws IOException {
    Path file = directory.resolve(FILE);
    if (broken && otherDisk == OtherDisk.REFUSED) {
      throw new IOException(
          "The file " + file + " could not be written before; restart this node.");
    }
    broken = true;
    try {
      BEFORE_WRITE.reached(about);
      DurableFiles.replace(file, directory.resolve(DRAFT), ByteBuffer.wrap(next.encoded(section)));
    } catch (IOException e) {
      throw new IOException("The file " + file + " cannot be written: " + e.getMessage() + ".", e);
    }
    durable = next;
    broken = false;
  }

  private static KnownPeers read(Path file, String section) throws IOException {
    long bytes = Files.size(file);
    if (bytes > FILE_BYTES_MAX) {
      throw damaged(file, "it has " + bytes + " bytes, and at most " + FILE_BYTES_MAX + " do");
    }
    try {
      return KnownPeers.decode(Files.readAllBytes(file), section);
    } catch (IllegalArgumentException e) {
      throw damaged(file, e.getMessage());
    }
  }

  private static DamagedFileException damaged(Path file, String how) {
    return new DamagedFileException("The file " + file + " is damaged: " + how + ".");
  }

  /** The content of the file is not what was written. */
  private static final class DamagedFileException extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedFileException(String message) {
      super(message);
    }
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
      // An interrupted first start leaves a draft.
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
