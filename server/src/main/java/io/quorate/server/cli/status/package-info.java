/**
 * The verb {@code status}: regions combined from the reports of nodes, the health computed from
 * them, and the report as text and as JSON. The request for the status belongs to {@code
 * io.quorate.client}, JSON and tables as such to {@code cli.format}.
 */
package io.quorate.server.cli.status;
