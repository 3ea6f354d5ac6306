/**
 * What the harness puts into a node's own process: a thread that switches failpoints on and off as
 * it is told, and defects that a canary asks for. It gets in as a Java agent, so that the product
 * has no switch for any of it.
 */
package io.quorate.server.verification.agent;
