package io.quorate.replication.erasure;

import java.io.IOException;
import java.util.Locale;

/**
 * A value cannot be restored from the intact fragments at hand. More fragments, from other servers,
 * may suffice.
 */
public final class TooFewFragmentsException extends IOException {
  private static final long serialVersionUID = 1L;

  TooFewFragmentsException(VerifiedFragments fragments) {
    super(
        String.format(
            Locale.ROOT,
            "A value in a code %s needs %d different fragments; intact are %s, corrupt are %s",
            fragments.header().shape(),
            fragments.header().shape().dataFragments(),
            fragments.intact().stream().map(Fragment::index).sorted().distinct().toList(),
            fragments.corrupt()));
  }
}
