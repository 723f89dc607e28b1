import type pg from 'pg'
import { digest, newKid } from '../apps/server/src/lib/ids.ts'

/** Registers devices of one account that all have this secret. */
export async function seedFleet(client: pg.Client, secret: string, devices: number) {
  const account_kid = newKid()
  const kids = Array.from({ length: devices }, newKid)
  await client.query(`INSERT INTO account (kid, type, name) VALUES ($1, 1, $2)`, [account_kid, `bench ${account_kid}`])
  await client.query(
    `INSERT INTO terminal (kid, account_kid, sn, claim_hash, secret_hash, registered_at)
     SELECT kid, $1, 'SN-' || kid, ''::bytea, $2, now() FROM unnest($3::uuid[]) AS kid`,
    [account_kid, digest(secret), kids],
  )
  await client.query(
    `INSERT INTO terminal_state (terminal_kid, account_kid) SELECT kid, $1 FROM unnest($2::uuid[]) AS kid`,
    [account_kid, kids],
  )
  return { account_kid, kids }
}
