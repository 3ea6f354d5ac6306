/** One request of a client from its frame to its response: its permit, timeouts, errors, counts. */
package io.quorate.server.rpc.request;
