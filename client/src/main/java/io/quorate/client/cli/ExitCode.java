package io.quorate.client.cli;

import io.quorate.client.IncompatibleException;
import io.quorate.client.IndeterminateException;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateException;
import io.quorate.client.RefusedException;

/** What a verb exits with, so that scripts can tell what happened. */
public enum ExitCode {
  /** Done. */
  OK(0),
  /** There is no such key, or the condition of a compare-and-set did not hold. */
  NOT_MET(1),
  /** The command line, a file, or the address of the cluster is wrong. */
  USAGE(2),
  /** The cluster could not be reached, or not in time. Nothing happened. */
  UNAVAILABLE(3),
  /** A write may have taken effect; nobody knows. */
  INDETERMINATE(4),
  /** The cluster refused the request and always will. Nothing happened. */
  REFUSED(5);

  private final int code;

  ExitCode(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  /** What to exit with after this failure. */
  public static ExitCode of(QuorateException failure) {
    if (failure instanceof IndeterminateException) {
      return INDETERMINATE;
    } else if (failure instanceof InvalidRequestException || failure instanceof RefusedException) {
      return REFUSED;
    } else if (failure instanceof IncompatibleException) {
      return USAGE;
    }
    return UNAVAILABLE;
  }
}
