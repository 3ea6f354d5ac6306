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

  /**
   * Whether a failure is one of the environment, such as a full disk or an error of a device, which
   * may be gone at the next attempt. A file that is damaged or gone, a name that does not fit and a
   * missing permission stay as they are until somebody changes them.
   */
  public static boolean isOfEnvironment(IOException failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      boolean isDamage = cause.getMessage() != null && cause.getMessage().contains(REMEDY);
      if (isDamage
          || cause instanceof AccessDeniedException
          || cause instanceof NoSuchFileException
          || cause instanceof FileAlreadyExistsException
          || cause instanceof NotDirectoryException
          || cause instanceof DirectoryNotEmptyException) {
        return false;
      }
    }
    return true;
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
