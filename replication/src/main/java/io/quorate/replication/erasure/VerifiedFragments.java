package io.quorate.replication.erasure;

import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Fragments of one value whose checksums were verified, by {@link CodedValueHeader#verify} only:
 * the decoder accepts no others.
 */
public final class VerifiedFragments {
  private final CodedValueHeader header;
  private final List<Fragment> intact;
  private final SortedSet<Integer> corrupt;

  VerifiedFragments(CodedValueHeader header, List<Fragment> intact, SortedSet<Integer> corrupt) {
    this.header = header;
    this.intact = List.copyOf(intact);
    this.corrupt = Collections.unmodifiableSortedSet(new TreeSet<>(corrupt));
  }

  public CodedValueHeader header() {
    return header;
  }

  /** The fragments that match their checksums, in the order in which they were given. */
  public List<Fragment> intact() {
    return intact;
  }

  /** The indexes of fragments that do not match, whose servers have to repair them. */
  public SortedSet<Integer> corrupt() {
    return corrupt;
  }
}
