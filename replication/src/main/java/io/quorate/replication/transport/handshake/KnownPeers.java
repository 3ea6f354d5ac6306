package io.quorate.replication.transport.handshake;

import io.quorate.common.Checksums;
import io.quorate.consensus.NodeDisks;
import io.quorate.consensus.Starts;
import io.quorate.model.NodeId;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/**
 * The content of the identity file and its text form: a line for each fact, and the last line with
 * the CRC-32C of all bytes before it.
 */
record KnownPeers(LocalIdentity self, Map<NodeId, Peer> peers) {
  private static final String CHECKSUM = "crc32c ";
  private static final String NOTHING = "-";
  private static final String ACCEPTED = "accepted";

  /**
   * @param disk the disk that the peer presented first, or last where a new one replaces it
   * @param start the newest start from the disk that the peer has presented; empty if it presented
   *     none
   * @param acceptsThisNode whether the peer has recorded this node's disk
   * @param topology the version of a topology that has shown the disk to be registered; empty if
   *     none has
   */
  record Peer(
      UUID disk, Optional<Starts.Start> start, boolean acceptsThisNode, OptionalLong topology) {

    Peer registeredIn(long version) {
      return new Peer(disk, start, acceptsThisNode, OptionalLong.of(version));
    }

    /** With a disk that this node has not met. */
    Peer replacedBy(NodeDisks.Registered other) {
      return new Peer(
          other.disk(), Optional.empty(), acceptsThisNode, OptionalLong.of(other.topology()));
    }
  }

  KnownPeers {
    peers = Map.copyOf(peers);
  }

  KnownPeers with(NodeId node, Peer peer) {
    SortedMap<NodeId, Peer> all = new TreeMap<>(peers);
    all.put(node, peer);
    return new KnownPeers(self, all);
  }

  KnownPeers without(Set<NodeId> nodes) {
    SortedMap<NodeId, Peer> others = new TreeMap<>(peers);
    others.keySet().removeAll(nodes);
    return new KnownPeers(self, others);
  }

  /**
   * @param section the engine's section, which the first line contains
   */
  byte[] encoded(String section) {
    StringBuilder text = new StringBuilder();
    text.append(title(section)).append('\n');
    text.append("cluster ").append(self.cluster()).append('\n');
    text.append("node ").append(self.node()).append('\n');
    text.append("disk ").append(self.disk()).append('\n');
    new TreeMap<>(peers)
        .forEach(
            (node, peer) ->
                text.append("peer ")
                    .append(node)
                    .append(' ')
                    .append(peer.disk())
                    .append(' ')
                    .append(peer.start().map(KnownPeers::text).orElse(NOTHING))
                    .append(' ')
                    .append(peer.topology().isPresent() ? peer.topology().getAsLong() : NOTHING)
                    .append(peer.acceptsThisNode() ? " " + ACCEPTED + "\n" : "\n"));
    String body = text.toString();
    return (body + CHECKSUM + Checksums.of(body) + "\n").getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * @param section as for {@link #encoded}
   * @throws IllegalArgumentException if the text is malformed; the message is the end of a sentence
   */
  static KnownPeers decode(byte[] bytes, String section) {
    String text = new String(bytes, StandardCharsets.US_ASCII);
    String title = title(section);
    if (!text.startsWith(title + "\n")) {
      throw new IllegalArgumentException("its first line is not \"" + title + "\"");
    }
    int last = text.lastIndexOf('\n', text.length() - 2) + 1;
    String body = text.substring(0, last);
    if (!text.substring(last).equals(CHECKSUM + Checksums.of(body) + "\n")) {
      throw new IllegalArgumentException("its checksum does not match, at byte " + last);
    }
    // The checksum matches, so encoded() wrote these lines.
    String[] lines = body.split("\n");
    if (lines.length < 4) {
      throw new IllegalArgumentException("it has only " + lines.length + " lines");
    }
    LocalIdentity self =
        new LocalIdentity(
            UUID.fromString(words(lines[1], 2)[1]),
            new NodeId(words(lines[2], 2)[1]),
            UUID.fromString(words(lines[3], 2)[1]));
    Map<NodeId, Peer> peers = new TreeMap<>();
    for (int i = 4; i < lines.length; i++) {
      String[] words = words(lines[i], 5);
      peers.put(
          new NodeId(words[1]),
          new Peer(
              UUID.fromString(words[2]), start(words[3]), words.length > 5, topology(words[4])));
    }
    return new KnownPeers(self, peers);
  }

  private static String title(String section) {
    return "quorate " + section + " identities 3";
  }

  private static OptionalLong topology(String text) {
    return text.equals(NOTHING) ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
  }

  private static String text(Starts.Start start) {
    return start.number() + ":" + Long.toHexString(start.id()) + ":" + start.renewals();
  }

  private static Optional<Starts.Start> start(String text) {
    if (text.equals(NOTHING)) {
      return Optional.empty();
    }
    String[] parts = text.split(":");
    if (parts.length != 3) {
      throw new IllegalArgumentException("a start is malformed: \"" + text + "\"");
    }
    return Optional.of(
        new Starts.Start(
            Long.parseLong(parts[0]),
            Long.parseUnsignedLong(parts[1], 16),
            Integer.parseInt(parts[2])));
  }

  private static String[] words(String line, int wordsMin) {
    String[] words = line.split(" ");
    if (words.length < wordsMin) {
      throw new IllegalArgumentException("a line has too few words: \"" + line + "\"");
    }
    return words;
  }
}
