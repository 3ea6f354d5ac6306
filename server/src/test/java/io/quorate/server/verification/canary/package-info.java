/**
 * Nodes with one safety rule broken, to show that the harness finds what it is there to find. The
 * program is changed while it is loaded, class by class and method by method, so that the product
 * has no switch for any of it.
 */
package io.quorate.server.verification.canary;
