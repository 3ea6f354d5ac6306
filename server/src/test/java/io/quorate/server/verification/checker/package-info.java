/** Decides whether a history can be explained by operations that take effect one at a time. */
package io.quorate.server.verification.checker;
