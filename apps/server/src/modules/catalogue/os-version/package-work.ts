import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Selectable } from 'kysely'
import { withClaim } from '../../../db/claim.ts'
import type { Claim } from '../../../db/claim.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import { objectSource } from '../../../files/object-store.ts'
import type { SharedWork } from '../../../lib/background.ts'
import { isDiskFull } from '../../../lib/database-errors.ts'
import { Refusal } from '../../../refusal.ts'
import { inWorker } from '../../../workers/service.ts'
import { FetchFailed, fetchFile } from './fetch.ts'
import { note } from './locked-version.ts'
import type { Fault } from './locked-version.ts'

type Row = Selectable<Tables['os_package']>

const noted_ms = 1_000
const tries_max = 5
const pause_ms = 5_000

const folderOf = (deps: Deps): string => join(deps.config.data, 'os-packages')

/** Fetches and checks packages in the background. What a server that is gone had begun is gone on with, where it ended. */
export const osPackages: SharedWork = { name: 'os_packages', every_ms: 5_000, at_once: 2, run: workOnce }

function workOnce(deps: Deps): Promise<boolean> {
  return withClaim(
    deps,
    'os_package',
    { states: ['fetching', 'checking'], order: sql`r.created_at` },
    async (claim) => {
      const { row } = claim
      try {
        const done = row.state === 'fetching' ? await fetched(deps, claim) : row
        if (done) await checked(deps, done)
      } catch (error) {
        const fault = faultOf(error)
        if (!fault) throw error
        await failed(deps, row, fault)
      }
      deps.live.publish(null, { type: 'os_version', kid: row.os_version_kid })
    },
  )
}

/** The row with its object; undefined when nobody wants it any more. */
async function fetched(deps: Deps, claim: Claim<'os_package'>): Promise<Row | undefined> {
  const { row } = claim
  const path = join(folderOf(deps), row.kid)
  // Moved by a server that died before it could say so.
  const moved = await deps.objects.info(row.kid)
  if (!moved && !(await fetchBytes(deps, claim, path))) {
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

/** False when nobody wants them any more. */
async function fetchBytes(deps: Deps, { row, signal, set }: Claim<'os_package'>, path: string): Promise<boolean> {
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
        signal,
        on_progress(progress) {
          etag = progress.etag
          seen = progress.received
          const now = deps.clock.elapsed()
          if (now - noted < noted_ms && progress.received !== progress.size) return
          noted = now
          set(progress).then(
            () => deps.live.publish(null, { type: 'os_version', kid: row.os_version_kid }),
            (error: unknown) => signal.aborted || deps.log.warn({ err: error }, 'how far a package is was not noted'),
          )
        },
      })
      return true
    } catch (error) {
      if (signal.aborted) return false
      if (!(error instanceof FetchFailed) || error.is_final) throw error
      tries = seen > before ? 0 : tries + 1
      if (tries >= tries_max) throw error
      await new Promise<void>((resolve) => deps.clock.after(pause_ms, resolve))
      if (signal.aborted) return false
    }
  }
}

async function checked(deps: Deps, row: Row): Promise<void> {
  const source = objectSource(deps.objects, row.object!, row.size!)
  const requester = { account_kid: row.os_version_kid, user_kid: row.created_by_kid }
  const { format } = row
  const { version, hardware, sha1 } =
    format === 'zip'
      ? { ...(await inWorker(deps, 'os_package', {}, source, requester)), version: null, hardware: [], sha1: null }
      : await inWorker(deps, 'os_image', { format }, source, requester)
  await deps.db
    .updateTable('os_package')
    .set({ state: 'ready', fault: null, said_version: version, hardware, sha1 })
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
      .set({ state: 'failed', fault: JSON.stringify(fault) })
      .where('kid', '=', row.kid)
      .executeTakeFirstOrThrow()
    const by = { deps, user: { kid: row.created_by_kid, name: row.created_by } }
    if (numUpdatedRows > 0n) await note(trx, by, row.os_version_kid, 'package_failed', row.file_name)
  })
}
