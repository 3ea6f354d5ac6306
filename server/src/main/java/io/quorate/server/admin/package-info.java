/** What operators look at: health and metrics over HTTP. */
package io.quorate.server.admin;
