/**
 * Access to log entries that Ratis has in memory, through its own package of this name. Only code
 * that needs package-private members of Ratis' segmented log belongs here; code that uses public
 * methods of Ratis is in {@code io.quorate.ratis}.
 */
package org.apache.ratis.server.raftlog.segmented;
