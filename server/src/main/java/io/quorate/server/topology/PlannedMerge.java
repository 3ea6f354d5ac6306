package io.quorate.server.topology;

import io.quorate.model.GroupId;

/**
 * A planned merge of two neighbouring regions, which both have it as their plan. It is complete
 * when the first one has absorbed the second, and is taken back if that one is too large; which of
 * the two happens is decided in the logs of the regions (decision 0055).
 *
 * @param number from the same sequence as the ids of regions
 * @param absorbed the region whose keys the other one receives, and which ends
 * @param into the region before it in key order
 */
public record PlannedMerge(GroupId number, GroupId absorbed, GroupId into) {}
