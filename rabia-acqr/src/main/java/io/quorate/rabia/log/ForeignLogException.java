package io.quorate.rabia.log;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/** The directory holds the log of another replica. No segment was changed. */
public final class ForeignLogException extends IOException {
  private static final long serialVersionUID = 1L;

  ForeignLogException(Path file, LogIdentity found, LogIdentity expected) {
    super(String.format(Locale.ROOT, "The log file %s is of %s, not of %s", file, found, expected));
  }
}
