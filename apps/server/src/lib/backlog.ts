/**
 * How many connections may wait until a listener takes them: as many as the system allows (`net.core.somaxconn`, 4096 by itself). When a
 * fleet comes back at once and there is no room, Linux drops what a device says without an answer, for up to two minutes.
 */
export const backlog = 65_535
