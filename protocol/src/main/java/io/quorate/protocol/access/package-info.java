/** Users, roles, and how a user proves who he is. */
package io.quorate.protocol.access;
