/**
 * Reads of one region as of one position: gets and scans over the database and the overlay of
 * committed changes that are not applied yet (B2, B8). The overlay, iterators, scan plans with
 * their cost model, and measurements of reads belong here. Waits for positions belong to {@code
 * apply}, the effect of operations to {@code command}, read indexes and routing to the server.
 */
package io.quorate.storage.read;
