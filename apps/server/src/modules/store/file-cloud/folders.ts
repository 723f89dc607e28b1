import { fileLimits } from '@mdm/contract'
import type { Contract, In } from '@mdm/contract'
import { fileNameKey } from '@mdm/contract/file-names.ts'
import { violation } from '../../../db/violations.ts'
import { validFileName } from '../../../files/names.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import type { Actor } from '../../../actor.ts'
import { chainOf, foldersAbove } from './cloud-places.ts'
import { addFiles, any, assertFolder, change, changed, foldersLeft, ownersOf, ownRows, rowsWithin } from './space.ts'
import type { Db, Row } from './space.ts'

type Calls = Contract['fileCloud']['calls']
const max = {
  depth: { max: fileLimits.depth },
  folders: { max: fileLimits.folders },
  copied: { max: fileLimits.copied },
}

/** How deep what is in this folder lies: 0 at the top. */
async function depthOf(trx: Db, kid: string | null): Promise<number> {
  return chainOf(await foldersAbove(trx, [kid]), kid).length
}

type NewFolder = { name: string; parent_kid: string | null; is_visible: boolean; device_path: string | null }
async function addFolder(trx: Db, { deps, account_kid, user }: Actor, folder: NewFolder): Promise<string> {
  const now = deps.clock.now()
  const kid = newKid()
  await trx
    .insertInto('file_cloud')
    .values({
      ...folder,
      kid,
      account_kid,
      is_folder: true,
      size: 0,
      md5: '',
      sha256: '',
      content_type: '',
      object: null,
      created_by_kid: user.kid,
      created_by: user.name,
      created_at: now,
      updated_at: now,
    })
    .execute()
  return kid
}

const unlessTaken = <T>(run: () => Promise<T>): Promise<T> => violation(run, { file_cloud_name: 'duplicate_name' })

export async function insertFolder(actor: Actor, input: In<Calls['insert_folder']>) {
  const { folder_kid, is_visible, device_path } = input
  const name = validFileName(input.name)
  const kid = await unlessTaken(() =>
    change(actor, async (trx) => {
      await assertFolder(trx, actor, folder_kid)
      if ((await depthOf(trx, folder_kid)) >= fileLimits.depth) return refuse('file_folder_depth', max.depth)
      if ((await foldersLeft(trx, actor)) < 1) return refuse('file_folder_limit', max.folders)
      return addFolder(trx, actor, { name, parent_kid: folder_kid, is_visible, device_path })
    }),
  )
  changed(actor)
  return { kid, name }
}

/** The folders of a path, those that are missing made: for a folder that is uploaded with what is in it. */
export async function makePath(actor: Actor, { folder_kid, names }: In<Calls['make_path']>) {
  const valid = names.map((name) => validFileName(name, 'names'))
  const made = await unlessTaken(() =>
    change(actor, async (trx) => {
      await assertFolder(trx, actor, folder_kid)
      if ((await depthOf(trx, folder_kid)) + valid.length > fileLimits.depth)
        return refuse('file_folder_depth', max.depth)
      let left = await foldersLeft(trx, actor)
      let kid = folder_kid
      for (const name of valid) {
        const there = await trx
          .selectFrom('file_cloud')
          .select('kid')
          .where('account_kid', '=', actor.account_kid)
          .where('parent_kid', kid === null ? 'is' : '=', kid)
          .where('is_folder', '=', true)
          .where((eb) => eb(eb.fn<string>('lower', ['name']), '=', eb.fn<string>('lower', [eb.val(name)])))
          .executeTakeFirst()
        if (!there && (left -= 1) < 0) return refuse('file_folder_limit', max.folders)
        kid =
          there?.kid ?? (await addFolder(trx, actor, { name, parent_kid: kid, is_visible: true, device_path: null }))
      }
      return kid!
    }),
  )
  changed(actor)
  return { kid: made, name: valid.join('/') }
}

/** How many levels of folders hang below these, themselves included; files are none. */
const levels = (rows: readonly (Row & { depth: number })[]): number =>
  Math.max(0, ...rows.map(({ is_folder, depth }) => (is_folder ? depth + 1 : 0)))

/** Not into itself, nor too deep. */
async function assertFits(trx: Db, rows: readonly (Row & { depth: number })[], folder_kid: string | null) {
  if (folder_kid !== null && rows.some(({ kid }) => kid === folder_kid)) refuse('file_folder_within_itself')
  if ((await depthOf(trx, folder_kid)) + levels(rows) > fileLimits.depth) refuse('file_folder_depth', max.depth)
}

export async function move(actor: Actor, { kids, folder_kid }: In<Calls['move']>): Promise<Row[]> {
  const moved = await unlessTaken(() =>
    change(actor, async (trx) => {
      const rows = await ownRows(trx, actor, kids)
      await assertFolder(trx, actor, folder_kid)
      await assertFits(trx, await rowsWithin(trx, kids), folder_kid)
      await trx
        .updateTable('file_cloud')
        .set({ parent_kid: folder_kid, updated_at: actor.deps.clock.now() })
        .where('kid', '=', any(kids))
        .execute()
      return rows
    }),
  )
  changed(actor)
  return moved
}

/** 'map.zip' -> 'map (2).zip', as the console's nextName; the stem gives way where the whole would be too long. */
function freeName(name: string, is_folder: boolean, taken: Set<string>): string {
  const [, stem = name, end = ''] = is_folder ? [] : (/^(.+?)((?:\.tar)?\.[^.]{1,20})?$/u.exec(name) ?? [])
  for (let at = 1; ; at += 1) {
    const mark = at === 1 ? '' : ` (${at})`
    const next = `${stem.slice(0, 255 - mark.length - end.length).toWellFormed()}${mark}${end}`
    if (!taken.has(fileNameKey(next))) return next
  }
}

/** Copies take space as uploads of the same size would, and share the bytes. */
export async function copy(actor: Actor, { kids, folder_kid }: In<Calls['copy']>) {
  const { deps, account_kid, user } = actor
  const owners = await ownersOf(deps.db, actor)
  const copies = await violation(
    () =>
      addFiles(actor, async (trx) => {
        await assertFolder(trx, actor, folder_kid)
        const rows = await rowsWithin(trx, kids)
        const within = new Set(kids)
        if (rows.some((row) => !owners.includes(row.account_kid))) return refuse('not_found')
        if (kids.some((kid) => !rows.some((row) => row.kid === kid))) return refuse('not_found')
        if (rows.length > fileLimits.copied) return refuse('file_copy_limit', max.copied)
        await assertFits(trx, rows, folder_kid)
        const folders = rows.filter(({ is_folder }) => is_folder).length
        if (folders > 0 && folders > (await foldersLeft(trx, actor))) return refuse('file_folder_limit', max.folders)
        // Who deletes one of them waits, and then finds the copy that shares its bytes.
        const held = await trx
          .selectFrom('file_cloud')
          .select('kid')
          .where('kid', '=', any(rows.map(({ kid }) => kid)))
          .forShare()
          .execute()
        if (held.length < rows.length) return refuse('not_found')
        const beside = await trx
          .selectFrom('file_cloud')
          .select('name')
          .where('account_kid', '=', account_kid)
          .where('parent_kid', folder_kid === null ? 'is' : '=', folder_kid)
          .execute()
        const taken = new Set(beside.map(({ name }) => fileNameKey(name)))
        const newKids = new Map(rows.map(({ kid }) => [kid, newKid()]))
        const now = deps.clock.now()
        const values = rows.map(({ depth: _depth, ...row }) => {
          // One that is chosen together with a folder that it is in goes with that.
          const is_top = within.has(row.kid) && !newKids.has(row.parent_kid ?? '')
          const name = is_top ? freeName(row.name, row.is_folder, taken) : row.name
          if (is_top) taken.add(fileNameKey(name))
          return {
            ...row,
            kid: newKids.get(row.kid)!,
            account_kid,
            parent_kid: is_top ? folder_kid : newKids.get(row.parent_kid!)!,
            name,
            push_count: 0,
            created_by_kid: user.kid,
            created_by: user.name,
            created_at: now,
            updated_at: now,
          }
        })
        for (let at = 0; at < values.length; at += 500)
          await trx
            .insertInto('file_cloud')
            .values(values.slice(at, at + 500))
            .execute()
        return rows
          .filter((row) => within.has(row.kid) && !newKids.has(row.parent_kid ?? ''))
          .map(({ kid, name }) => ({ kid: newKids.get(kid)!, name }))
      }),
    { file_cloud_name: 'not_found' },
  )
  changed(actor)
  return copies
}
