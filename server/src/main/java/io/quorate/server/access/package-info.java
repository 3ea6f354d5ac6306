/**
 * Who may do what: users and roles, which region 0 stores and every node follows, and what they
 * allow whoever is at the other end of a connection. Whether a request is served by them, {@code
 * rpc} and {@code admin} ask before anything else.
 */
package io.quorate.server.access;
