import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import type { Tables } from '../../db/schema/tables.ts'
import type { Deps } from '../../deps.ts'
import { objectSource } from '../../files/object-store.ts'
import { backgroundWork } from '../../lib/background.ts'
import { isDiskFull } from '../../db/errors.ts'
import { Refusal } from '../../refusal.ts'
import { inWorker } from '../../workers/service.ts'
import { FetchFailed, fetchFile } from './fetch.ts'
import { note } from './own.ts'
import type { Fault } from './own.ts'

type Row = Selectable<Tables['os_package']>

/** So long another server believes the one that works on a package alive. */
const lease_ms = 60_000
const noted_ms = 1_000
const tries_max = 5
const pause_ms = 5_000

const folderOf = (deps: Deps): string => join(deps.config.data, 'os-packages')

/** Fetches and checks packages in the background. What a server that is gone had begun is gone on with, where it ended. */
export const wakePackages = backgroundWork('os packages', workOnce, { at_once: 2 })

async function workOnce(deps: Deps): Promise<boolean> {
  const row = await claim(deps)
  if (!row) return false
  const beat = deps.clock.every(lease_ms / 3, async () => void (await renew(deps, row.kid, {})))
  try {
    const done = row.state === 'fetching' ? await fetched(deps, row) : row
    if (done) await checked(deps, done)
  } catch (error) {
    const fault = faultOf(error)
    if (!fault) throw error
    await failed(deps, row, fault)
  } finally {
    beat()
  }
  deps.live.publish(null, { type: 'os_version', kid: row.os_version_kid })
  return true
}

async function claim(deps: Deps): Promise<Row | undefined> {
  const now = deps.clock.now()
  const { rows } = await sql<Row>`
    UPDATE os_package SET worked_until = ${new Date(now.getTime() + lease_ms)} WHERE kid = (
      SELECT kid FROM os_package WHERE state IN ('fetching', 'checking')
        AND (worked_until IS NULL OR worked_until < ${now}) ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING *
  `.execute(deps.db)
  return rows[0]
}

/** Says whether the package is still wanted. */
async function renew(deps: Deps, kid: string, more: Partial<Pick<Row, 'received' | 'size' | 'etag'>>) {
  const worked_until = new Date(deps.clock.now().getTime() + lease_ms)
  const { numUpdatedRows } = await deps.db
    .updateTable('os_package')
    .set({ worked_until, ...more })
    .where('kid', '=', kid)
    .where('state', 'in', ['fetching', 'checking'])
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** The row with its object; undefined when nobody wants it any more. */
async function fetched(deps: Deps, row: Row): Promise<Row | undefined> {
  const path = join(folderOf(deps), row.kid)
  // Moved by a server that died before it could say so.
  const moved = await deps.objects.info(row.kid)
  if (!moved && !(await fetchBytes(deps, row, path))) {
    await rm(path, { force: true })
    return undefined
  }
  const { size, md5, sha256 } = moved ?? (await deps.objects.adopt(row.kid, path))
  const done = await deps.db
    .updateTable('os_package')
    .set({ state: 'checking', object: row.kid, size, received: size, md5, sha256 })
    .where('kid', '=', row.kid)
    .returningAll()
    .executeTakeFirst()
  if (!done) await deps.objects.delete(row.kid)
  deps.live.publish(null, { type: 'os_version', kid: row.os_version_kid })
  return done
}

async function fetchBytes(deps: Deps, row: Row, path: string): Promise<boolean> {
  const given_up = new AbortController()
  let etag = row.etag
  let noted = 0
  let seen = -1
  for (let tries = 0; ;) {
    const before = seen
    try {
      await fetchFile({
        url: row.url!,
        path,
        etag,
        max_bytes: deps.config.upload_max_bytes,
        allowed: deps.config.webhook_allow,
        signal: given_up.signal,
        on_progress(progress) {
          etag = progress.etag
          seen = progress.received
          const now = deps.clock.elapsed()
          if (now - noted < noted_ms && progress.received !== progress.size) return
          noted = now
          void renew(deps, row.kid, progress)
            .then((is_wanted) => {
              if (!is_wanted) given_up.abort()
              else deps.live.publish(null, { type: 'os_version', kid: row.os_version_kid })
            })
            .catch((error: unknown) => deps.log.warn({ err: error }, 'how far a package is was not noted'))
        },
      })
      return true
    } catch (error) {
      if (given_up.signal.aborted) return false
      if (!(error instanceof FetchFailed) || error.is_final) throw error
      tries = seen > before ? 0 : tries + 1
      if (tries >= tries_max) throw error
      if (!(await renew(deps, row.kid, {}))) return false
      await new Promise<void>((resolve) => deps.clock.after(pause_ms, resolve))
    }
  }
}

async function checked(deps: Deps, row: Row): Promise<void> {
  const source = objectSource(deps.objects, row.object!, row.size!)
  await inWorker(deps, 'os_package', {}, source, { account_kid: row.os_version_kid, user_kid: row.created_by_kid })
  await deps.db
    .updateTable('os_package')
    .set({ state: 'ready', fault: null, worked_until: null })
    .where('kid', '=', row.kid)
    .where('state', '=', 'checking')
    .execute()
}

/** What is the file's or the other side's fault; others are ours, and tried again. */
export function faultOf(error: unknown): Fault | undefined {
  if (error instanceof FetchFailed)
    return { name: 'os_fetch_failed', details: { reason: error.reason, detail: error.detail } }
  if (error instanceof Refusal && error.refusal !== 'unavailable' && error.refusal !== 'too_many_requests')
    return { name: error.refusal, details: error.details }
  return isDiskFull(error) ? { name: 'disk_full', details: {} } : undefined
}

export async function failed(deps: Deps, row: Row, fault: Fault): Promise<void> {
  await deps.db.transaction().execute(async (trx) => {
    const { numUpdatedRows } = await trx
      .updateTable('os_package')
      .set({ state: 'failed', fault: JSON.stringify(fault), worked_until: null })
      .where('kid', '=', row.kid)
      .executeTakeFirstOrThrow()
    const by = { deps, user: { kid: row.created_by_kid, name: row.created_by } }
    if (numUpdatedRows > 0n) await note(trx, by, row.os_version_kid, 'package_failed', row.file_name)
  })
}
