import type pg from 'pg'
import { DatabaseError } from '../lib/database-errors.ts'
import { assertChannel } from './listener.ts'

const payload_bytes = 7_999

/** PostgreSQL takes payloads under 8000 bytes: send an id, not the thing. */
export const notifyOn = (pool: pg.Pool) => async (channel: string, payload: string) => {
  assertChannel(channel)
  if (Buffer.byteLength(payload) > payload_bytes)
    throw new DatabaseError('22023', `the payload for ${channel} is longer than ${payload_bytes} bytes`)
  await pool.query('select pg_notify($1, $2)', [channel, payload])
}
