package io.quorate.ratis.hibernation;

import io.quorate.common.DecodeException;
import io.quorate.model.NodeId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Set;
import java.util.stream.Collectors;

/** The names of members, one a line, in their order. */
final class MemberNames {
  private MemberNames() {}

  static ByteBuffer encode(Collection<NodeId> members) {
    return StandardCharsets.UTF_8.encode(
        members.stream().map(NodeId::value).sorted().collect(Collectors.joining("\n")));
  }

  /**
   * @throws DecodeException if a line is no name of a node
   */
  static Set<NodeId> decode(ByteBuffer bytes) {
    try {
      return StandardCharsets.UTF_8
          .decode(bytes)
          .toString()
          .lines()
          .map(NodeId::new)
          .collect(Collectors.toUnmodifiableSet());
    } catch (IllegalArgumentException e) {
      throw new DecodeException("names of members, of which one is invalid");
    }
  }
}
