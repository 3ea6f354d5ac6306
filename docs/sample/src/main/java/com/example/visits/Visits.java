package com.example.visits;

import io.quorate.client.IndeterminateException;
import io.quorate.client.QuorateClient;
import java.time.Duration;

/** Counts who visits a page. */
public final class Visits {
  private final QuorateClient client;

  /**
   * @param deadline how long a call may take, for example while a node restarts
   */
  public Visits(QuorateClient client, Duration deadline) {
    this.client = client.withDeadline(deadline);
  }

  /** Counts a visit; a visit may be missing or counted where the database reports doubt. */
  public void count(String page) {
    try {
      client.increment("visits:" + page, 1);
    } catch (IndeterminateException e) {
      // A count that is off by one matters less here than a page that is not served.
      System.err.println("A visit of " + page + " is in doubt: " + e.getMessage());
    }
  }

  /** How often a page was visited. */
  public long of(String page) {
    return client.get("visits:" + page).map(Long::parseLong).orElse(0L);
  }
}
