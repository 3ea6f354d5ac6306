package io.quorate.server.cli.terminal;

import io.quorate.client.DeniedException;
import io.quorate.client.IncompatibleException;
import io.quorate.client.IndeterminateException;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateException;
import io.quorate.client.RefusedException;

/** The exit codes of the verbs, from which scripts can determine the outcome. */
public enum ExitCode {
  /** Success. */
  OK(0),
  /** There is no such key, or the condition of a compare-and-set was not met. */
  NOT_MET(1),
  /** The command line, a file, or the address of the cluster is wrong. */
  USAGE(2),
  /** The cluster was unreachable or did not respond in time. The request had no effect. */
  UNAVAILABLE(3),
  /** A write may have taken effect; its outcome is unknown. */
  INDETERMINATE(4),
  /** The cluster rejected the request and would reject every retry. The request had no effect. */
  REFUSED(5);

  private final int code;

  ExitCode(int code) {
    this.code = code;
  }

  public int code() {
    return code;
  }

  /** The exit code for a failure. */
  public static ExitCode of(QuorateException failure) {
    if (failure instanceof IndeterminateException) {
      return INDETERMINATE;
    } else if (failure instanceof InvalidRequestException
        || failure instanceof RefusedException
        || failure instanceof DeniedException) {
      return REFUSED;
    } else if (failure instanceof IncompatibleException) {
      return USAGE;
    }
    return UNAVAILABLE;
  }
}
