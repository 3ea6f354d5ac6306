package io.quorate.common;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Optional;

/** Describes I/O failures for the operator: messages of the JDK often contain only the path. */
public final class FileErrors {
  /** What to do about a file of a node that is damaged or gone; a phrase without a full stop. */
  public static final String REMEDY =
      "restore the last contents, or empty the directories of this node, start it, and accept it"
          + " with \"node replace\"";

  private FileErrors() {}

  /** The path, if it is known, and the reason, as a phrase without a full stop. */
  public static String describe(IOException failure) {
    if (!(failure instanceof FileSystemException fileFailure)) {
      return reason(failure);
    }
    String reason = reason(failure);
    return fileFailure.getFile() == null ? reason : fileFailure.getFile() + ": " + reason;
  }

  /** As {@link #describe}, with one full stop: some messages of others end with it. */
  public static String endOfSentence(IOException failure) {
    return Sentences.sentence(describe(failure));
  }

  /** The reason without the path, as a phrase without a full stop. */
  public static String reason(IOException failure) {
    if (!(failure instanceof FileSystemException fileFailure)) {
      return Optional.ofNullable(failure.getMessage()).orElseGet(failure::toString);
    }
    if (failure instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (failure instanceof NoSuchFileException) {
      return "no such file or directory";
    }
    if (failure instanceof FileAlreadyExistsException) {
      return "it exists already, and is no directory";
    }
    if (failure instanceof NotDirectoryException) {
      return "it is no directory";
    }
    if (failure instanceof DirectoryNotEmptyException) {
      return "it is not empty";
    }
    return Optional.ofNullable(fileFailure.getReason())
        .orElseGet(() -> failure.getClass().getName());
  }
}
