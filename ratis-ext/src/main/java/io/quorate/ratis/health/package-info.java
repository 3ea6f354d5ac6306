/**
 * Detection of disks and nodes that do not respond, and the transfer of leaderships away from a
 * node whose disk does not. The decisions here are pure where possible. The requests that a stalled
 * replica rejects are those of {@code patches.UnresponsiveDisk}.
 */
package io.quorate.ratis.health;
