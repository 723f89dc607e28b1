import type { ConfigSectionResult } from '@mdm/device-link'
import { sql } from 'kysely'
import { records } from '../../db/records.ts'
import { publishCoalesced } from '../coalesce.ts'
import type { Batch } from './items.ts'

/** What devices hold as they say hello: whoever holds something else than it should is told, at once. */
export async function configHeld(batch: Batch, said: { kid: string; version: number }[]): Promise<void> {
  if (said.length === 0) return
  const { rows } = await sql<{ is_owed: boolean }>`
    UPDATE terminal_config_delivery c SET sends = 0,
      send_at = CASE WHEN c.is_dirty OR c.version <> r.version THEN 'epoch'::timestamptz END
    FROM ${records(said).as('r(kid uuid, version bigint)')}
    WHERE c.terminal_kid = r.kid AND (c.is_dirty OR c.version <> r.version OR c.send_at IS NOT NULL)
    RETURNING c.send_at IS NOT NULL AS is_owed
  `.execute(batch.trx)
  // One that holds something although nothing was ever set for it here: it comes from another life of this database.
  const strangers = said.filter(({ version }) => version > 0)
  const added =
    strangers.length === 0
      ? undefined
      : await sql`
          INSERT INTO terminal_config_delivery (terminal_kid, account_kid, send_at)
          SELECT t.kid, t.account_kid, 'epoch'::timestamptz FROM terminal t
          WHERE t.kid = ANY(${strangers.map(({ kid }) => kid)}::uuid[]) ORDER BY t.kid ON CONFLICT DO NOTHING
        `.execute(batch.trx)
  if (rows.some((row) => row.is_owed) || added?.numAffectedRows) batch.after(() => batch.outbound.wakeConfigurations())
}

export type HeldVersion = { version: number; results: readonly ConfigSectionResult[] | undefined }

/** Devices say once by which configuration they go from now on, and what became of each section of it. */
export async function configConfirmed(batch: Batch, held: ReadonlyMap<string, HeldVersion>): Promise<void> {
  if (held.size === 0) return
  const { deps, devices, trx } = batch
  const said = [...held].map(([kid, { version }]) => ({ kid, version }))
  await sql`
    UPDATE terminal_config_delivery c SET send_at = NULL, sends = 0
    FROM ${records(said).as('r(kid uuid, version bigint)')}
    WHERE c.terminal_kid = r.kid AND c.version = r.version AND NOT c.is_dirty
  `.execute(trx)
  await keepResults(batch, held)
  batch.after(() => {
    for (const [kid, { results }] of held) {
      const { account_kid } = devices.get(kid)!
      publishCoalesced(deps, `config ${kid}`, account_kid, { type: 'terminal_config', kid })
      // Whether a lost device is locked is also for those who may not read configurations.
      if (results?.some(({ section }) => section === 'lost'))
        publishCoalesced(deps, `lost ${kid}`, account_kid, { type: 'terminal_info', kid })
    }
  })
}

/** Devices that have just said which configuration they hold end their part of its steps, once that is written. */
export async function endRowsOfConfirmed({ deps, trx, devices, after }: Batch): Promise<void> {
  const kids = [...devices.values()].flatMap(({ terminal_kid, has_said_config }) =>
    has_said_config ? terminal_kid : [],
  )
  const moves = await deps.features.configurations.endConfirmed(trx, kids, deps.clock.now())
  if (moves) after(() => deps.features.pushes.tellMoves(deps, moves))
}

/**
 * Of the version that is held now only: what was said of an older one is gone. One that says its version once more without
 * results takes nothing back.
 */
async function keepResults({ trx, devices, deps }: Batch, held: ReadonlyMap<string, HeldVersion>): Promise<void> {
  const at = deps.clock.now()
  const answers = [...held].map(([kid, { version, results }]) => ({ kid, version, is_said: results !== undefined }))
  await sql`
    DELETE FROM terminal_config_result x USING ${records(answers).as('r(kid uuid, version bigint, is_said boolean)')}
    WHERE x.terminal_kid = r.kid AND (r.is_said OR x.version <> r.version)
  `.execute(trx)
  const rows = [...held].flatMap(([kid, { version, results }]) => {
    const bySection = new Map((results ?? []).map((result) => [result.section, result]))
    return [...bySection.values()].map((result) => ({
      ...result,
      kid,
      account_kid: devices.get(kid)!.account_kid,
      version,
      at,
    }))
  })
  if (rows.length === 0) return
  await sql`
    INSERT INTO terminal_config_result (terminal_kid, account_kid, section, outcome, reason, message, version, at)
    SELECT r.kid, r.account_kid, r.section, r.outcome, r.reason, r.message, r.version, r.at
    FROM ${records(rows).as(`r(kid uuid, account_kid uuid, section text, outcome text, reason text, message text,
      version bigint, at timestamptz)`)}
  `.execute(trx)
}
