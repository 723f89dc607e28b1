/**
 * Every wait of a test lasts so long before it fails, for a machine that is busy with something else too: what is there at
 * once costs nothing.
 */
export const patience_ms = 60_000
