package io.quorate.rabia.protocol;

import io.quorate.consensus.Member;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What a batch holds. */
public sealed interface Body {

  /** Length in bytes, as far as bounds are concerned. */
  int size();

  /** The bytes that the digest is of. */
  List<ByteBuffer> parts();

  /**
   * Commands of clients, in order.
   *
   * @param commands opaque; read between position and limit, never moved, never changed
   */
  record Commands(List<ByteBuffer> commands) implements Body {
    public Commands {
      commands = List.copyOf(commands);
    }

    @Override
    public int size() {
      int size = 0;
      for (ByteBuffer command : commands) {
        size += Integer.BYTES + command.remaining();
      }
      return size;
    }

    @Override
    public List<ByteBuffer> parts() {
      return commands;
    }
  }

  /**
   * The members from some slots later on (S2).
   *
   * @param basedOn the epoch that was the latest when this was proposed; if another one has come
   *     about meanwhile, this changes nothing
   */
  record Reconfiguration(long basedOn, List<Member> members) implements Body {
    public Reconfiguration {
      members = List.copyOf(members);
    }

    @Override
    public int size() {
      return parts().get(0).remaining();
    }

    @Override
    public List<ByteBuffer> parts() {
      return List.of(ByteBuffer.wrap((basedOn + " " + members).getBytes(StandardCharsets.UTF_8)));
    }
  }
}
