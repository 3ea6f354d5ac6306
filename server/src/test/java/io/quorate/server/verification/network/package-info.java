/** The network between processes of one machine, made such that it can be cut. */
package io.quorate.server.verification.network;
