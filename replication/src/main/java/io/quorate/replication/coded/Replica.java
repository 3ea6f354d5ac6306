package io.quorate.replication.coded;

import io.quorate.consensus.Command;
import io.quorate.consensus.ProposeResult;
import io.quorate.model.NodeId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What the replication of bodies needs of its replica. Every function may be called on any thread,
 * and does not block.
 *
 * @param standing the term and whether this replica leads in it
 * @param members the members by the log of this replica
 * @param responsive the followers that have responded lately, the last one first; none if this
 *     replica does not lead
 * @param connect connects to nodes that are about to be members
 * @param propose proposes a command, after those of earlier calls
 */
public record Replica(
    Supplier<Standing> standing,
    Supplier<GroupMembers> members,
    Supplier<List<NodeId>> responsive,
    Consumer<List<NodeId>> connect,
    Function<Command, CompletableFuture<ProposeResult>> propose) {}
