package io.quorate.server.node;

import io.quorate.common.FileErrors;
import io.quorate.server.config.ConfigException;
import io.quorate.server.config.EnvironmentException;
import io.quorate.server.config.StartupException;
import io.quorate.storage.rocks.NativeLibraryException;
import java.io.IOException;

/** What it means for the operator that files could not be used at the start of a node. */
final class StartFailure {
  private StartFailure() {}

  static StartupException of(IOException failure) {
    if (failure instanceof NativeLibraryException library) {
      // Of one disk for everything, this directory may be the first that is full.
      return library.isFull()
          ? new EnvironmentException(failure.getMessage(), failure)
          : new ConfigException(failure.getMessage(), failure);
    }
    return StartupException.ofFiles(
        "The node cannot start: " + FileErrors.endOfSentence(failure), failure);
  }
}
