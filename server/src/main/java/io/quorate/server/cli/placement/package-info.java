/** The verb that shows how replicas and leaders are placed. */
package io.quorate.server.cli.placement;
