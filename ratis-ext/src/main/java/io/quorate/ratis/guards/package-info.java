/**
 * The requests between replicas as Ratis receives and sends them: in one place and one order, the
 * repairs of {@code patches}, and the rules of this engine for replicas that joined ({@link
 * io.quorate.ratis.guards.JoinedReplica}), for what is committed ({@link
 * io.quorate.ratis.guards.CommittedEntries}) and for leases. Read indexes are confirmed in {@code
 * read}, and followers are protected from too many entries in {@code flow}.
 */
package io.quorate.ratis.guards;
