package io.quorate.replication.erasure;

import java.util.List;

/**
 * A value as its fragments.
 *
 * @param fragments all of them, in the order of their indexes; data fragments may share the bytes
 *     of the value
 */
public record CodedValue(CodedValueHeader header, List<Fragment> fragments) {
  public CodedValue {
    fragments = List.copyOf(fragments);
  }
}
