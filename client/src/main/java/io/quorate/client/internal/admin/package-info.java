/** Requests of operators: status, nodes, regions and placement. */
package io.quorate.client.internal.admin;
