/**
 * Whether a node's disk responds, and what becomes of the leaderships of a node whose disk does
 * not.
 */
package io.quorate.ratis.health;
