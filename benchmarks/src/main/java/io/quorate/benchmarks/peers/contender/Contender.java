package io.quorate.benchmarks.peers.contender;

import java.io.IOException;
import java.nio.file.Path;

/** A database that is compared with others: how it is obtained and started. */
public interface Contender {

  /** The name on the command line and in reports. */
  String name();

  /** Its version, its settings and the connections of its clients: a sentence or a few. */
  String description();

  /**
   * Makes its programs available; builds them if they are missing. Blocks.
   *
   * @throws UnavailableException if it cannot be had on this machine
   */
  void prepare(Programs programs) throws UnavailableException, InterruptedException;

  /**
   * Starts its processes on free ports. Blocks until every connection has written and read a key.
   * Closing it deletes all its files.
   *
   * @param parent an existing directory, which contains the data while it runs
   * @throws IOException if it does not serve; it is stopped and deleted then
   */
  RunningContender start(Path parent) throws IOException, InterruptedException;
}
