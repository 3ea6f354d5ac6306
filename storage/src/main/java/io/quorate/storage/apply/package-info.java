/**
 * The way of a committed batch: it is accepted and replied to at commit, queued, executed, and
 * written as one batch of values, sessions and applied position. The applier, its queue, waiters
 * and metrics, and the values and sessions that are changed and not written yet belong here. The
 * outcome of a command, which must not depend on any of them, belongs to {@code command} and {@code
 * session}, flushes to {@code context}.
 */
package io.quorate.storage.apply;
