import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { AnnouncedDevice } from '../../../../db/schema/tables-devices.ts'
import type { Tables } from '../../../../db/schema/tables.ts'
import type { Deps } from '../../../../deps.ts'
import { newKid } from '../../../../lib/ids.ts'
import { groupBy } from '../../../../link/group-by.ts'
import { wrong_codes_max } from '../device/announcements.ts'
import { typedCode } from '../codes.ts'
import { takeRoom } from '../quota.ts'
import type { QuotaRefusal } from '../quota.ts'
import { countWrongCodes, guessesOf } from './guesses.ts'
import { sheetCode, weekOfSheetCode } from './sheet-codes.ts'
import type { Week } from './sheet-codes.ts'

type Db = Kysely<Tables>
export type Candidate = { sn: string; work_order: string; verification_code: string; name: string }
/** The group that it goes to; null is none. */
type Placed = { terminal_group_kid: string | null }
export type RowRefusal =
  | 'device_unknown'
  | 'device_already_registered'
  | 'device_scrapped'
  | 'registration_code_mismatch'
  | 'too_many_wrong_codes'
  | 'sheet_of_another_week'
  | 'group_unknown'
  | QuotaRefusal
/** By SN: why it cannot be registered, or the claim that whoever registers it takes over. */
type Judgement = Map<string, RowRefusal | Buffer>

const anyOf = (sns: readonly string[]) => sql<string>`any(${sns}::text[])`

/**
 * What registering each of these would say, but for the room there is. Every SN is there once. Wrong codes are counted as
 * they are when one device is registered: a sheet is no way to guess more of them. `is_for_update` keeps the answer true
 * until the transaction ends; locks are taken in the order of SNs, so that two sheets cannot wait for each other. A code
 * of the provider's sheet counts in its week and for its account only.
 */
export async function judge(
  db: Db,
  deps: Deps,
  to: Week,
  rows: readonly Pick<Candidate, 'sn' | 'verification_code'>[],
  is_for_update = false,
): Promise<Judgement> {
  const sns = rows.map(({ sn }) => sn)
  const announced = await db
    .selectFrom('announcement')
    .select(['sn', 'claim_hash', 'registration_code', 'wrong_codes'])
    .where('sn', '=', anyOf(sns))
    .where('expires_at', '>', deps.clock.now())
    .orderBy('sn')
    .orderBy('claim_hash')
    .$if(is_for_update, (q) => q.forUpdate())
    .execute()
  const registered = await db.selectFrom('terminal').select('sn').where('sn', '=', anyOf(sns)).execute()
  const scrapped = await db.selectFrom('scrapped_sn').select('sn').where('sn', '=', anyOf(sns)).execute()
  const guess = await guessesOf(db, deps, to.account_kid)
  const waiting = groupBy(announced, (row) => row.sn)
  const gone = new Map<string, RowRefusal>([
    ...scrapped.map(({ sn }) => [sn, 'device_scrapped'] as const),
    ...registered.map(({ sn }) => [sn, 'device_already_registered'] as const),
  ])
  const verdict = async ({ sn, verification_code }: (typeof rows)[number]): Promise<RowRefusal | Buffer> => {
    const found = waiting.get(sn)
    if (gone.has(sn)) return gone.get(sn)!
    if (!found) return 'device_unknown'
    const week = weekOfSheetCode(verification_code)
    if (week !== undefined && week !== to.week) return 'sheet_of_another_week'
    const inSheet = async (row: (typeof found)[number]) => ({
      ...row,
      registration_code: typedCode(await sheetCode(deps, to, row)),
    })
    const shown = week === undefined ? found : await Promise.all(found.map(inSheet))
    const guessed = guess(sn, shown, verification_code)
    return typeof guessed === 'string' ? guessed : guessed.claim_hash
  }
  const judgement: Judgement = new Map()
  for (const row of rows) judgement.set(row.sn, await verdict(row))
  await countWrongCodes(
    db,
    sns.filter((sn) => judgement.get(sn) === 'registration_code_mismatch'),
  )
  return judgement
}

/**
 * Registers as many of these as may be and fit, in their order, within the caller's transaction. By SN: the new device's
 * kid, or why there is none.
 */
export async function registerMany(
  trx: Db,
  deps: Deps,
  to: Week,
  rows: readonly (Candidate & Placed)[],
): Promise<Map<string, { kid: string } | { refusal: RowRefusal }>> {
  if (rows.length === 0) return new Map()
  // Group changes wait for the same lock, so a group that is found here stays.
  const room = await takeRoom(deps, trx, to.account_kid)
  const judgement = await judge(trx, deps, to, rows, true)
  const there = await groupsThere(trx, to.account_kid, rows)
  const outcome = new Map<string, { kid: string } | { refusal: RowRefusal }>()
  const chosen: (Candidate & Placed & { kid: string; claim_hash: Buffer })[] = []
  for (const row of rows) {
    const found = judgement.get(row.sn)!
    if (typeof found === 'string') outcome.set(row.sn, { refusal: found })
    else if (row.terminal_group_kid !== null && !there.has(row.terminal_group_kid))
      outcome.set(row.sn, { refusal: 'group_unknown' })
    else if (chosen.length >= room.left) outcome.set(row.sn, { refusal: room.refusal })
    else chosen.push({ ...row, kid: newKid(), claim_hash: found })
  }
  const made = new Set(await add(trx, deps, to, chosen))
  for (const { sn, kid } of chosen)
    outcome.set(sn, made.has(kid) ? { kid } : { refusal: 'device_already_registered' as const })
  return outcome
}

/** Which of the groups of these rows are still there. */
async function groupsThere(trx: Db, account_kid: string, rows: readonly Placed[]): Promise<Set<string>> {
  const kids = [...new Set(rows.flatMap(({ terminal_group_kid: kid }) => (kid === null ? [] : [kid])))]
  if (kids.length === 0) return new Set()
  const found = await trx
    .selectFrom('terminal_group')
    .select('kid')
    .where('account_kid', '=', account_kid)
    .where('kid', '=', sql<string>`any(${kids}::uuid[])`)
    .execute()
  return new Set(found.map(({ kid }) => kid))
}

/** Turns announcements that the transaction has locked into devices; the kids of those that were made. */
async function add(
  trx: Db,
  deps: Deps,
  { account_kid }: Week,
  chosen: readonly (Candidate & Placed & { kid: string; claim_hash: Buffer })[],
): Promise<string[]> {
  if (chosen.length === 0) return []
  const sns = chosen.map(({ sn }) => sn)
  const taken = await trx
    .deleteFrom('announcement')
    .where('sn', '=', anyOf(sns))
    .returning(['sn', 'claim_hash', 'device', 'registration_code'])
    .execute()
  const key = (sn: string, claim_hash: Buffer) => `${sn} ${claim_hash.toString('hex')}`
  const devices = new Map(
    taken.map(({ sn, claim_hash, device, ...code }) => [
      key(sn, claim_hash),
      { ...(device as AnnouncedDevice), ...code },
    ]),
  )
  const registered_at = deps.clock.now()
  const rows = chosen.map(({ kid, sn, name, work_order, claim_hash, terminal_group_kid }) => {
    const {
      model,
      os_name,
      os_version,
      service_version,
      protocol_version,
      registration_code,
      imei = null,
    } = devices.get(key(sn, claim_hash))!
    const said = { model, os_name, os_version, service_version, protocol_version, registration_code, imei }
    return { kid, account_kid, terminal_group_kid, sn, name, work_order, claim_hash, ...said, registered_at }
  })
  const made = await trx
    .insertInto('terminal')
    .values(rows)
    .onConflict((oc) => oc.column('sn').doNothing())
    .returning('kid')
    .execute()
  if (made.length > 0)
    await trx
      .insertInto('terminal_state')
      .values(made.map(({ kid }) => ({ terminal_kid: kid, account_kid })))
      .execute()
  return made.map(({ kid }) => kid)
}

/** Devices that wait to be registered: those named, or those of a work order that were imported with a policy. */
export type Wanted = { sns: readonly string[] } | { work_order: string }

/** Their SNs in order, page by page, each with the code that registers it into the account within the week. */
export async function* announcedDevices(deps: Deps, to: Week, wanted: Wanted) {
  const page_size = 1_000
  for (let after: { sn: string; claim_hash: Buffer } | undefined; ;) {
    const rows = await deps.db
      .selectFrom('announcement')
      .select(['sn', 'claim_hash', 'registration_code', 'device'])
      .$if(after !== undefined, (q) => q.where(sql<boolean>`(sn, claim_hash) > (${after!.sn}, ${after!.claim_hash})`))
      .where('expires_at', '>', deps.clock.now())
      // Those that ask for an account are that account's to decide.
      .where('account_kid', 'is', null)
      .where('wrong_codes', '<', wrong_codes_max)
      .$if('sns' in wanted, (q) => q.where('sn', '=', anyOf('sns' in wanted ? wanted.sns : [])))
      .$if('work_order' in wanted, (q) =>
        q.where('sn', 'in', (eb) =>
          eb
            .selectFrom('terminal_policy')
            .select('terminal_policy.sn')
            .where('work_order', '=', 'work_order' in wanted ? wanted.work_order : ''),
        ),
      )
      .orderBy('sn')
      .orderBy('claim_hash')
      .limit(page_size)
      .execute()
    for (const { device, ...row } of rows)
      yield { sn: row.sn, code: await sheetCode(deps, to, row), model: (device as AnnouncedDevice).model }
    if (rows.length < page_size) return
    after = rows.at(-1)!
  }
}
