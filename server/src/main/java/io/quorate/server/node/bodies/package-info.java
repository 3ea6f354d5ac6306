/**
 * Bodies of large values on this node: which rows refer to them, what is missing, and their repair.
 */
package io.quorate.server.node.bodies;
