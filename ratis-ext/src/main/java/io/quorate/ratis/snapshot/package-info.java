/**
 * Brings a replica that fell behind the log to the leader's state: the leader exports it to files,
 * the replica fetches them in pieces and installs them. The pieces travel as stale reads of Ratis,
 * over the connections that are there anyway.
 */
package io.quorate.ratis.snapshot;
