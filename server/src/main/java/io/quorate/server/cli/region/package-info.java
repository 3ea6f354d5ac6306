/** The verbs about the regions of a cluster. */
package io.quorate.server.cli.region;
