import type pg from 'pg'
import { digest, newKid, newSecret } from '../apps/server/src/lib/ids.ts'

type Database = { query(text: string, values: unknown[]): Promise<unknown> }

/** Registers devices of one account, a new one where none is named, that all have this secret. */
export async function seedFleet(client: Database, secret: string, devices: number, account_kid = newKid()) {
  const kids = Array.from({ length: devices }, newKid)
  await client.query(`INSERT INTO account (kid, type, name) VALUES ($1, 1, $2) ON CONFLICT (kid) DO NOTHING`, [
    account_kid,
    `bench ${account_kid}`,
  ])
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

/** A customer with one person, who may do everything there and is signed in. */
export async function seedPerson(client: pg.Client) {
  const [account_kid, user_kid, role_kid] = [newKid(), newKid(), newKid()]
  const token = newSecret()
  await client.query(`INSERT INTO account (kid, type, name, terminal_max) VALUES ($1, 1, 'Bench', 10000000)`, [
    account_kid,
  ])
  await client.query(
    `INSERT INTO user_account (kid, account_kid, type, username, name, password_hash, status) VALUES ($1, $2, 1, 'bench', 'Bench', '-', 'normal')`,
    [user_kid, account_kid],
  )
  await client.query(
    `INSERT INTO role (kid, account_kid, code, name, permissions) VALUES ($1, $2, 'admin', 'Bench', ARRAY['*'])`,
    [role_kid, account_kid],
  )
  await client.query(`INSERT INTO user_role (user_kid, role_kid) VALUES ($1, $2)`, [user_kid, role_kid])
  await client.query(
    `INSERT INTO session (kid, token_hash, user_kid, address, created_at, last_use_at, expires_at)
     VALUES ($1, $2, $3, '127.0.0.1', now(), now(), now() + interval '1 day')`,
    [newKid(), digest(token), user_kid],
  )
  return { account_kid, user_kid, token }
}
