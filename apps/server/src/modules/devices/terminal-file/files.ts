import { posix } from 'node:path'
import type { Contract, In } from '@mdm/contract'
import type { ParamsOf } from '@mdm/device-link'
import type { Actor } from '../../../actor.ts'
import { validFileName } from '../../../files/names.ts'
import { claimUpload, wholeUpload } from '../../../files/own-upload.ts'
import { refuse } from '../../../refusal.ts'
import { askDevice } from '../../../link/ask.ts'
import { assertVisible } from '../../../db/visible.ts'
import { keepReport, lastReport } from './last-report.ts'
import { shown } from './read.ts'
import { assertOnline, carry, end, fetchFrom, insertTransfer, isOnline, tellBegun, transfer_ms } from './transfers.ts'

type Calls = Contract['terminalFile']['calls']
const words = { not_found: 'device_file_missing', exists: 'duplicate_name' } as const
const nameOf = (name: string): string => validFileName(name)

export async function list(actor: Actor, { terminal_kid, path, after }: In<Calls['list']>) {
  const { deps, scope } = actor
  const which = { terminal_kid, kind: 'folder', path, after: after ?? '' } as const
  if (!(await isOnline(scope, terminal_kid))) {
    const { items, next, reported_at } = await lastReport(actor, which)
    return { items, next, reported_at }
  }
  const params = { path, ...(after === undefined ? {} : { after }) }
  const { items, next } = await askDevice(deps, terminal_kid, 'file_list', params, words)
  // A device that leads in circles would keep a person loading for ever.
  if (next !== null && next <= (after ?? '')) refuse('device_answer_invalid')
  const found = items.map(({ name, type, size, modified_at }) => ({
    name,
    type,
    size: size ?? null,
    modified_at: modified_at === undefined ? null : new Date(modified_at).toISOString(),
  }))
  await keepReport(deps, which, { items: found, next })
  return { items: found, next, reported_at: null }
}

type Change = 'file_make_folder' | 'file_rename' | 'file_delete'
async function change<M extends Change>({ deps, scope }: Actor, kid: string, method: M, params: ParamsOf<M>) {
  await assertOnline(scope, kid)
  await askDevice(deps, kid, method, params, words)
}

export const makeFolder = (actor: Actor, { terminal_kid, path, name }: In<Calls['make_folder']>) =>
  change(actor, terminal_kid, 'file_make_folder', { path: posix.join(path, nameOf(name)) })

export const rename = (actor: Actor, { terminal_kid, path, name }: In<Calls['rename']>) =>
  change(actor, terminal_kid, 'file_rename', { path, name: nameOf(name) })

export const remove = (actor: Actor, { terminal_kid, path }: In<Calls['delete']>) =>
  change(actor, terminal_kid, 'file_delete', { path })

/** Begins to fetch a file from a device. */
export async function download(actor: Actor, { terminal_kid, path }: In<Calls['download']>) {
  const { deps, scope } = actor
  await assertOnline(scope, terminal_kid)
  const name = nameOf(posix.basename(path))
  return shown(deps, await fetchFrom(actor, { terminal_kid, kind: 'download', path, name }))
}

/** Begins to send an uploaded file to a device. The upload is used once. */
export async function upload(actor: Actor, { terminal_kid, path, name, upload_kid }: In<Calls['upload']>) {
  const { deps, scope, user } = actor
  await assertOnline(scope, terminal_kid)
  const valid = nameOf(name)
  const { size, object, md5, sha256 } = await wholeUpload(deps, scope, user.kid, upload_kid)
  const { row } = await scope.transaction().execute(async (trx) => {
    await claimUpload(trx, actor, upload_kid)
    const wanted = { terminal_kid, kind: 'upload', path: posix.join(path, valid), name: valid } as const
    return insertTransfer(actor, trx, { ...wanted, size, object, sha256 })
  })
  const url = deps.signFile(object, { name: valid, seconds: transfer_ms / 1000 })
  carry(deps, row, 'file_fetch', { transfer_kid: row.kid, file: { name: valid, size, md5, sha256, url, path } })
  tellBegun(deps, row)
  return shown(deps, row)
}

/** Ends it here at once; the device is told, and what it still sends finds no slot. */
export async function cancel({ deps, scope }: Actor, { kid }: In<Calls['cancel']>) {
  const row = await scope
    .selectFrom('device_transfer')
    .selectAll()
    .where('kid', '=', kid)
    .where('kind', '<>', 'log')
    .executeTakeFirst()
  if (!row) return refuse('not_found')
  await assertVisible(scope, row.terminal_kid)
  const ended = await end(deps, row, { state: 'canceled' })
  if (!ended) return refuse('task_not_cancelable')
  askDevice(deps, row.terminal_kid, 'transfer_cancel', { transfer_kid: kid }).catch(() => {})
  return shown(deps, ended)
}
