/**
 * What all parts name, engines, storage, server, client and applications alike: nodes, groups, keys
 * and ranges, positions, and the guarantees of reads. Immutable values.
 */
package io.quorate.model;
