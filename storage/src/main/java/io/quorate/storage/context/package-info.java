/**
 * What the regions of one storage share: the context itself, their ranges, flushes, the report of
 * failures, the guard against closing, threads, failpoints and back-pressure. Objects belong here
 * of which a node has one, or which several parts of a region need. Applying, reading and snapshots
 * do not, nor does what only one of these uses.
 */
package io.quorate.storage.context;
