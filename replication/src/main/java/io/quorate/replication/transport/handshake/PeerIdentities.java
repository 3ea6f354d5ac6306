package io.quorate.replication.transport.handshake;

import io.quorate.common.DurableFiles;
import io.quorate.common.Failpoint;
import io.quorate.common.FileErrors;
import io.quorate.consensus.NodeDisks;
import io.quorate.consensus.Starts;
import io.quorate.model.NodeId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The durable record of the disk identity of each node, including this one. A replica with an empty
 * disk and an old id would vote without its earlier votes (P1, S3); so a node has one disk, until
 * the cluster has registered another one for it ({@link NodeDisks}): by then its replicas on the
 * former disk do not vote any more, and that disk is refused for ever.
 *
 * <p>The topology in which a disk is registered may be behind. So each record has the version of
 * the topology that has shown it, and only a later one moves it to another disk; any topology moves
 * a record without a version. A disk that is newer than the topology is accepted when the topology
 * has it, which this node receives from any other.
 *
 * <p>Only nodes of the cluster are recorded. One that leaves it is forgotten: its former disk is
 * refused as long as the topology has not the node, and as another disk than the registered one
 * once it has.
 *
 * <p>Any thread may read; only what is on disk is returned. Recording an identity blocks on an
 * fsync. After a failed write its effect on the disk is unknown, so every further write is refused.
 */
public final class PeerIdentities {
  private static final Logger LOG = LoggerFactory.getLogger(PeerIdentities.class);

  /** The file's name in the engine's directory. */
  public static final String FILE = "identities";

  private static final String DRAFT = FILE + ".draft";
  private static final long FILE_BYTES_MAX = 1 << 20;

  /**
   * A new version of the file is about to be made durable; the subject is the recorded node. The
   * name is the same under every engine.
   */
  public static final Failpoint BEFORE_WRITE = Failpoint.named("transport.identities.before-write");

  /** How the disk that a node presents compares to the recorded one. */
  public enum Standing {
    KNOWN,
    UNKNOWN,
    /** Another disk is recorded for the node. */
    OTHER,
    /** A start of the node is recorded that its disk lacks: it is an older copy. */
    OUTDATED
  }

  private final Path directory;
  private final String section;
  private final NodeDisks disks;
  private volatile KnownPeers durable;
  private boolean broken;

  private PeerIdentities(Path directory, String section, NodeDisks disks, KnownPeers durable) {
    this.directory = directory;
    this.section = section;
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
   * @param disks the identity of a new directory, and which disks are registered for nodes
   * @throws IOException if the file is damaged, missing beside other files, of another cluster or
   *     node, or cannot be written; the message names the file
   */
  public static PeerIdentities open(
      Path directory, String section, NodeDisks disks, UUID cluster, NodeId self)
      throws IOException {
    Path file = directory.resolve(FILE);
    if (Files.exists(file)) {
      KnownPeers own = requireOwn(read(file, section), cluster, self, file);
      return new PeerIdentities(directory, section, disks, own);
    }
    requireEmpty(directory);
    LocalIdentity fresh = new LocalIdentity(cluster, self, disks.own());
    PeerIdentities identities =
        new PeerIdentities(directory, section, disks, new KnownPeers(fresh, Map.of()));
    identities.write(self, identities.durable);
    return identities;
  }

  /** The identity of this node, with its present starts. */
  public LocalIdentity self() {
    return durable.self().at(disks.founding().get(), disks.starts().get());
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

  public int size() {
    return durable.peers().size();
  }

  public Standing standing(LocalIdentity peer) {
    KnownPeers.Peer known = durable.peers().get(peer.node());
    if (known == null) {
      return registeredOtherThan(peer.node(), peer.disk()).isPresent()
          ? Standing.OTHER
          : Standing.UNKNOWN;
    }
    Optional<NodeDisks.Registered> later = laterThan(peer.node(), known);
    if (!known.disk().equals(peer.disk())) {
      return later.filter(registered -> registered.disk().equals(peer.disk())).isPresent()
          ? Standing.UNKNOWN
          : Standing.OTHER;
    }
    if (later.isPresent()) {
      return Standing.OTHER;
    }
    return known.start().filter(start -> !peer.starts().mayFollow(start)).isPresent()
        ? Standing.OUTDATED
        : isRecorded(peer.starts(), known) ? Standing.KNOWN : Standing.UNKNOWN;
  }

  /** Another disk than the recorded one, if a later topology has it registered. */
  private Optional<NodeDisks.Registered> laterThan(NodeId peer, KnownPeers.Peer known) {
    return registeredOtherThan(peer, known.disk())
        .filter(
            registered ->
                known.topology().isEmpty() || registered.topology() > known.topology().getAsLong());
  }

  private Optional<NodeDisks.Registered> registeredOtherThan(NodeId peer, UUID disk) {
    return disks.registered().apply(peer).filter(registered -> !registered.disk().equals(disk));
  }

  private static boolean isRecorded(Starts starts, KnownPeers.Peer known) {
    return starts.newest().isEmpty()
        || known.start().filter(recorded -> !starts.isAfter(recorded)).isPresent();
  }

  /** Another node has shown that this one has an older copy of its disk. Does not block. */
  public void outdated(String sentence) {
    disks.outdated().accept(sentence);
  }

  public boolean isAcceptedBy(NodeId peer) {
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
  public synchronized Standing learn(LocalIdentity peer) throws IOException {
    Standing standing = standing(peer);
    if (standing == Standing.UNKNOWN) {
      boolean isSameDisk = diskOf(peer.node()).equals(Optional.of(peer.disk()));
      record(peer, isSameDisk && isAcceptedBy(peer.node()));
      return Standing.KNOWN;
    }
    return standing;
  }

  /** The same, for a peer that has accepted this node. Blocks. */
  public synchronized Standing learnAcceptance(LocalIdentity peer) throws IOException {
    Standing standing = standing(peer);
    if (standing == Standing.UNKNOWN || standing == Standing.KNOWN && !isAcceptedBy(peer.node())) {
      record(peer, true);
      return Standing.KNOWN;
    }
    return standing;
  }

  private void record(LocalIdentity peer, boolean acceptsThisNode) throws IOException {
    diskOf(peer.node())
        .filter(recorded -> !recorded.equals(peer.disk()))
        .ifPresent(recorded -> logReplaced(peer.node(), recorded, peer.disk()));
    write(
        peer.node(),
        durable.with(
            peer.node(),
            new KnownPeers.Peer(
                peer.disk(), peer.starts().newest(), acceptsThisNode, topologyWith(peer))));
  }

  /** The version of the topology that has shown the disk to be registered. */
  private OptionalLong topologyWith(LocalIdentity peer) {
    KnownPeers.Peer known = durable.peers().get(peer.node());
    if (known != null && known.disk().equals(peer.disk()) && known.topology().isPresent()) {
      return known.topology();
    }
    return disks
        .registered()
        .apply(peer.node())
        .filter(registered -> registered.disk().equals(peer.disk()))
        .map(registered -> OptionalLong.of(registered.topology()))
        .orElse(OptionalLong.empty());
  }

  private static void logReplaced(NodeId peer, UUID recorded, UUID present) {
    LOG.info(
        "The disk of a node was replaced; the former one is refused node={} before={} now={}",
        peer,
        recorded,
        present);
  }

  /**
   * Whether a node is neither recorded nor in the cluster, as far as this node knows. Nothing is
   * recorded of such a one: strangers have any number of names.
   */
  public boolean isStranger(NodeId node) {
    return !durable.peers().containsKey(node) && !disks.presence().apply(node).isKnown();
  }

  /**
   * Whether {@link #follow} would record anything.
   *
   * @param isMember as for {@link #follow}
   */
  public boolean isBehind(Predicate<NodeId> isMember) {
    return !gone(isMember).isEmpty() || !durable.peers().equals(followed());
  }

  /**
   * Forgets the peers that have left the cluster, which are refused as strangers from now on, and
   * records the disks that the topology has registered by now for peers that are recorded with an
   * earlier one, or with one that no topology has shown, so that the latter is refused although the
   * peer has not presented its new disk here; also after a restart, before a topology is known.
   * Blocks.
   *
   * @param isMember whether a group of this node has a peer as a member; such a one is kept
   * @throws IOException if the record could not be made durable
   */
  public synchronized void follow(Predicate<NodeId> isMember) throws IOException {
    Set<NodeId> gone = gone(isMember);
    if (!gone.isEmpty()) {
      LOG.info("Forgetting {} nodes that are not in the cluster any more", gone.size());
      write(self().node(), durable.without(gone));
    }
    Map<NodeId, KnownPeers.Peer> before = durable.peers();
    Map<NodeId, KnownPeers.Peer> followed = followed();
    for (Map.Entry<NodeId, KnownPeers.Peer> peer : followed.entrySet()) {
      KnownPeers.Peer former = before.get(peer.getKey());
      if (!peer.getValue().equals(former)) {
        if (!peer.getValue().disk().equals(former.disk())) {
          logReplaced(peer.getKey(), former.disk(), peer.getValue().disk());
        }
        write(peer.getKey(), durable.with(peer.getKey(), peer.getValue()));
      }
    }
  }

  private Set<NodeId> gone(Predicate<NodeId> isMember) {
    return durable.peers().entrySet().stream()
        .filter(entry -> disks.presence().apply(entry.getKey()).isGone(entry.getValue().topology()))
        .map(Map.Entry::getKey)
        .filter(peer -> !isMember.test(peer))
        .collect(Collectors.toUnmodifiableSet());
  }

  private Map<NodeId, KnownPeers.Peer> followed() {
    Map<NodeId, KnownPeers.Peer> followed = new TreeMap<>(durable.peers());
    followed.replaceAll(this::followed);
    return followed;
  }

  private KnownPeers.Peer followed(NodeId peer, KnownPeers.Peer known) {
    return disks
        .registered()
        .apply(peer)
        .filter(registered -> registered.disk().equals(known.disk()))
        .filter(registered -> known.topology().isEmpty())
        .map(registered -> known.registeredIn(registered.topology()))
        .or(() -> laterThan(peer, known).map(known::replacedBy))
        .orElse(known);
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

  private static IOException damaged(Path file, String how) {
    return new IOException(
        "The file " + file + " is damaged: " + how + "; " + FileErrors.REMEDY + ".");
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

  private static void requireEmpty(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      // An interrupted first start leaves a draft.
      if (entries
          .filter(entry -> !Starts.isRecord(entry))
          .anyMatch(entry -> !entry.getFileName().toString().equals(DRAFT))) {
        throw missing(directory);
      }
    }
  }

  /** The failure of a start with a directory that has lost its file. */
  public static IOException missing(Path directory) {
    return new IOException(
        "The file "
            + directory.resolve(FILE)
            + " is missing beside other files: "
            + FileErrors.REMEDY
            + ".");
  }
}
