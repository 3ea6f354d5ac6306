package io.quorate.replication.coded;

import io.quorate.replication.coded.round.BodyRound.Form;
import io.quorate.replication.coded.round.HeldBody;
import io.quorate.replication.erasure.CodedValueHeader;
import io.quorate.replication.erasure.Fragment;
import io.quorate.replication.erasure.ValueCoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The intact parts of one body that were found so far. Not thread-safe. */
final class FoundParts {
  private final CodedValueHeader header;
  private final Map<Integer, Fragment> fragments = new TreeMap<>();
  private Optional<ByteBuffer> complete = Optional.empty();

  FoundParts(CodedValueHeader header) {
    this.header = header;
  }

  /** Whether this is the part it claims to be. Reads all of it: not for event loops. */
  static boolean isIntact(HeldBody held, CodedValueHeader header) {
    return held.form() == Form.COMPLETE
        ? header.isIntact(held.content())
        : header.isIntact(new Fragment(held.index(), held.content()));
  }

  /** Adds an intact part. */
  void add(HeldBody held) {
    if (held.form() == Form.COMPLETE) {
      complete = Optional.of(held.content());
    } else {
      fragments.put(held.index(), new Fragment(held.index(), held.content()));
    }
  }

  /** The number of different fragments. */
  int fragments() {
    return fragments.size();
  }

  boolean areSufficient() {
    return complete.isPresent() || fragments.size() >= header.shape().dataFragments();
  }

  /**
   * Restores the body from sufficient parts. Occupies the processor: not for event loops.
   *
   * @throws IOException if the fragments are intact and the body decoded from them is not
   */
  ByteBuffer restore(ValueCoder coder) throws IOException {
    return complete.isPresent() ? complete.get() : coder.decode(header.verify(fragments.values()));
  }

  /**
   * Restores one fragment from sufficient parts. Occupies the processor: not for event loops.
   *
   * @throws IOException if the fragment does not match its checksum
   */
  HeldBody restoreFragment(ValueCoder coder, int index) throws IOException {
    Fragment fragment =
        complete.isPresent()
            ? coder.encode(complete.get(), header.shape()).fragments().get(index)
            : coder.repair(header.verify(fragments.values()), index);
    if (!header.isIntact(fragment)) {
      throw new IOException("Fragment " + index + " of a body does not match its checksum.");
    }
    return new HeldBody(Form.FRAGMENT, index, fragment.bytes());
  }
}
