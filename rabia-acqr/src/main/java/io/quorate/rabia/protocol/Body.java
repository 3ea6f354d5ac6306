package io.quorate.rabia.protocol;

import io.quorate.consensus.Member;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The content of a batch. */
public sealed interface Body {

  /** Length in bytes, as counted against limits. */
  int size();

  /** The bytes that the digest covers. */
  List<ByteBuffer> parts();

  /**
   * Commands of clients, in order.
   *
   * @param commands opaque bytes between position and limit; the buffers are neither consumed nor
   *     modified
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
   * A configuration change, in force from a later slot (S2).
   *
   * @param basedOn the latest epoch when the change was proposed; the change has no effect if the
   *     latest epoch at its execution is another one
   * @param number the number of the change, which the epoch of the new configuration contains; 0 in
   *     logs of versions without numbers
   */
  record Reconfiguration(long basedOn, long number, List<Member> members) implements Body {
    public Reconfiguration {
      members = List.copyOf(members);
    }

    @Override
    public int size() {
      return parts().get(0).remaining();
    }

    @Override
    public List<ByteBuffer> parts() {
      String change = (number == 0 ? "" : number + " ") + basedOn + " " + members;
      return List.of(ByteBuffer.wrap(change.getBytes(StandardCharsets.UTF_8)));
    }
  }
}
