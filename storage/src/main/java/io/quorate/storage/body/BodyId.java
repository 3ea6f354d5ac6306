package io.quorate.storage.body;

import io.quorate.consensus.GroupId;

/**
 * Identifies a body. It is never reused: a term has one leader, which numbers its bodies.
 *
 * @param term the term of the leader that assigned the number
 * @param number counted by that leader
 */
public record BodyId(GroupId group, long term, long number) {}
