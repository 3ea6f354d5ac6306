/**
 * Changes that operators and placement make, as faults: splits, merges, moves, drains, transfers.
 */
package io.quorate.torture.nemesis.change;
