package io.quorate.server.access;

import io.quorate.protocol.tls.Tls;

/**
 * How a node knows who is at the other end of its connections, and what they may do.
 *
 * @param tls of the three ports
 * @param failures of logins at all of them
 */
public record NodeSecurity(Tls tls, AccessState access, FailedLogins failures) {}
