package io.quorate.benchmarks.peers.contender;

import java.io.IOException;

/** A client that others publish for a database. */
public interface ClientLibrary {

  /** Its name and version. */
  String description();

  /**
   * Makes it available; builds what calls it, if that is missing. Blocks.
   *
   * @throws UnavailableException if it cannot be had on this machine
   */
  void prepare(Programs programs) throws UnavailableException, InterruptedException;

  /**
   * Connects to a database. Blocks. Requires that it is prepared.
   *
   * @param addresses of the nodes as {@code host:port}, separated by commas
   * @throws IOException if no node serves
   */
  PeerConnection open(String addresses) throws IOException;
}
