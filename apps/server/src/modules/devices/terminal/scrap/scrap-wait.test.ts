import { constants, contract, scrap_kept_hours } from '@mdm/contract'
import type { ScrapSchedule } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newMemory } from '../../../../memory.ts'
import { actorOf } from '../../../../actor.ts'
import { testApi } from '../../../../testing/calls.ts'
import type { As, TestApi } from '../../../../testing/calls.ts'
import { purgeExpiredRows } from '../../../../jobs/purge.ts'
import { backgroundAtRest, wake } from '../../../../lib/background.ts'
import { fakeClock } from '../../../../lib/clock.ts'
import { newKid } from '../../../../lib/ids.ts'
import type { TestDeps } from '../../../../testing/deps.ts'
import { cancelSchedule, scrap, scraps } from '../index.ts'
import {
  addAccount,
  addTerminal,
  addUser,
  lockingDatabases,
  miscounted,
  openDeps,
  refusalOf,
} from '../../../../testing/devices.ts'

const many: number = constants.password_from_devices
const delay_ms = constants.scrap_delay_seconds * 1_000
const { list_scrap_schedule, cancel_scrap_schedule } = contract.terminalScrap.calls
const { batch_scrap, batch_cancel, move_group_batch } = contract.terminal.calls

async function addDevices(deps: TestDeps, account_kid: string, count = many, terminal_group_kid: string | null = null) {
  const of = newKid().slice(-10).toUpperCase()
  const sns = Array.from({ length: count }, (_, n) => `${of}-${n}`)
  const kids: string[] = []
  for (const sn of sns) kids.push(await addTerminal(deps, account_kid, { sn, terminal_group_kid }))
  return { sns, kids }
}
/** How many of these devices there are still, and how many of their SNs are retired. */
async function countsOf({ db }: TestDeps, sns: readonly string[]) {
  const there = await db.selectFrom('terminal').select('kid').where('sn', 'in', sns).execute()
  const retired = await db.selectFrom('scrapped_sn').select('kid').where('sn', 'in', sns).execute()
  return { there: there.length, retired: retired.length }
}

describe('scrapping many devices', () => {
  let o: TestApi
  beforeAll(async () => {
    o = await testApi()
    await o.deps.db.updateTable('account').set({ terminal_max: 100_000 }).execute()
  })
  afterAll(async () => {
    expect(o.internal_errors).toEqual([])
    await o.close()
  })
  const confirmed = async () => o.deps.db.updateTable('session').set({ confirmed_at: o.deps.clock.now() }).execute()
  const ask = async (kids: string[], who: As = o.acme_root) => {
    await confirmed()
    return o.call(batch_scrap, { terminalKids: kids, confirm: 'DELETE' }, who)
  }
  const asked = async (kids: string[], who: As = o.acme_root): Promise<string> => {
    const { result, data } = await ask(kids, who)
    expect(result).toBe(1)
    return data.schedule_version!
  }
  const list = async (who: As = o.acme_root) => (await o.call(list_scrap_schedule, {}, who)).data
  const one = async (version: string, who: As = o.acme_root): Promise<ScrapSchedule | undefined> =>
    (await list(who)).find(({ schedule_version }) => schedule_version === version)
  const cancel = (schedule_version: string, who: As = o.acme_root) =>
    o.call(cancel_scrap_schedule, { schedule_version }, who)
  const due = () => o.deps.clock.advance(delay_ms + 1_000)
  const ended = async (version: string, state: ScrapSchedule['state'] = 'done') => {
    await due()
    await expect.poll(async () => (await one(version))?.state).toBe(state)
  }
  const lastTracks = async (action_code: string) => {
    const row = await o.deps.db
      .selectFrom('operation_log')
      .select('tracks')
      .where('action_code', '=', action_code)
      .orderBy('created_at', 'desc')
      .orderBy('kid', 'desc')
      .executeTakeFirstOrThrow()
    return row.tracks.map(({ change }) => change)
  }
  const limitedTo = async (group_kids: string[]) => {
    const person = await o.person(3, o.acme.kid, `limited-${newKid()}`, ['deviceList*'])
    for (const terminal_group_kid of group_kids)
      await o.deps.db
        .insertInto('terminal_group_user_manged')
        .values({ account_kid: o.acme.kid, user_kid: person.kid, terminal_group_kid })
        .execute()
    return person
  }
  const addGroup = async () =>
    (await o.call(contract.terminalGroup.calls.insert, { name: newKid() }, o.acme_root)).data.kid

  it('waits a minute, seen by everybody of the account, and then happens', async () => {
    const { sns, kids } = await addDevices(o.deps, o.acme.kid)
    o.deps.events.length = 0
    const begun = o.deps.clock.now()
    const { data } = await ask(kids)
    const due_at = new Date(begun.getTime() + delay_ms).toISOString()
    expect(data).toEqual({ scrapped: 0, schedule_version: expect.any(String), due_at })
    const version = data.schedule_version!
    expect(o.deps.events).toContainEqual({ account_kid: o.acme.kid, event: { type: 'scrap_schedule_changed' } })
    expect((await lastTracks('batch_scrap')).toSorted()).toEqual(
      [`${many} devices wait until they are scrapped`, ...sns.map((sn) => `to be scrapped: ${sn}`)].toSorted(),
    )
    await o.deps.clock.advance(delay_ms - 5_000)
    const shown = { schedule_version: version, state: 'waiting', total: many, due_at, due_in_seconds: 5, scrapped: 0 }
    expect(await one(version)).toMatchObject({ ...shown, is_own: true, created_by: 'Name of acme', finished_at: null })
    expect(await one(version, o.acme_person)).toMatchObject({ ...shown, is_own: false })
    expect(await list(o.globex_root)).toEqual([])
    expect(await countsOf(o.deps, sns)).toEqual({ there: many, retired: 0 })

    o.deps.events.length = 0
    await ended(version)
    expect(await one(version)).toMatchObject({ scrapped: many, due_in_seconds: 0, canceled_by: null })
    expect(await countsOf(o.deps, sns)).toEqual({ there: 0, retired: many })
    expect(o.deps.kicked.map(({ terminal_kid }) => terminal_kid)).toEqual(expect.arrayContaining(kids))
    for (const type of ['scrap_schedule_changed', 'terminal_list_changed'] as const)
      expect(o.deps.events).toContainEqual({ account_kid: o.acme.kid, event: { type } })
    const retired = await o.deps.db.selectFrom('scrapped_sn').selectAll().where('sn', 'in', sns).execute()
    expect([...new Set(retired.map(({ scrapped_by }) => scrapped_by))]).toEqual(['Name of acme'])
    expect(await miscounted(o.deps)).toEqual([])
  })

  it('is stopped by anybody of the account who may scrap devices, in time', async () => {
    const { sns, kids } = await addDevices(o.deps, o.acme.kid)
    const version = await asked(kids)
    const colleague = await o.person(3, o.acme.kid, `colleague-${newKid()}`, ['deviceList*'])
    expect((await cancel(version, o.acme_person)).status).toBe(403)
    for (const nobodys of [newKid(), version])
      expect(await cancel(nobodys, o.globex_root)).toMatchObject({ status: 404, result: 404 })
    o.deps.events.length = 0
    expect((await cancel(version, colleague)).result).toBe(1)
    expect(o.deps.events).toContainEqual({ account_kid: o.acme.kid, event: { type: 'scrap_schedule_changed' } })
    expect(await lastTracks('cancel_scrap_schedule')).toEqual([`canceled: ${many} devices stay`])
    expect((await cancel(version)).result).toBe(1)
    await due()
    expect(await one(version)).toMatchObject({ state: 'canceled', canceled_by: `Name of ${colleague.username}` })
    expect(await countsOf(o.deps, sns)).toEqual({ there: many, retired: 0 })
  })

  it('cannot be stopped when it has happened', async () => {
    const { kids } = await addDevices(o.deps, o.acme.kid)
    const version = await asked(kids)
    await ended(version)
    expect(await cancel(version)).toMatchObject({ status: 409, result: 42017 })
    expect((await one(version))?.state).toBe('done')
  })

  it('is checked when it is asked for, as if it were done at once', async () => {
    const { sns, kids } = await addDevices(o.deps, o.acme.kid)
    expect((await ask([...kids, newKid()])).result).toBe(42002)
    await confirmed()
    const wrong = { terminalKids: kids, confirm: 'delete' }
    expect((await o.call(batch_scrap, wrong, o.acme_root)).result).toBe(42014)
    const others = { terminalKids: kids, sns: [...sns.slice(1), 'ANOTHER'], confirm: 'DELETE' }
    expect((await o.call(batch_scrap, others, o.acme_root)).result).toBe(42002)
    const match = { match: { text: sns[0]!.slice(0, 10) }, confirm: 'DELETE' }
    expect((await o.call(batch_scrap, { ...match, expected_count: many - 1 }, o.acme_root)).result).toBe(42067)
    expect((await list()).filter(({ state }) => state === 'waiting')).toEqual([])
    const { data } = await o.call(batch_scrap, { ...match, expected_count: many }, o.acme_root)
    await ended(data.schedule_version!)
    expect(await countsOf(o.deps, sns)).toEqual({ there: 0, retired: many })
  })

  it('leaves out devices that have left meanwhile, and those out of reach of whoever asked', async () => {
    const [here, elsewhere] = [await addGroup(), await addGroup()]
    const person = await limitedTo([here])
    const { sns, kids } = await addDevices(o.deps, o.acme.kid, many + 2, here)
    const version = await asked(kids, person)
    const [gone, moved] = kids as [string, string]
    await o.call(batch_cancel, { terminalKids: [gone], confirm: 'DELETE' }, o.acme_root)
    await o.call(move_group_batch, { terminal_kids: [moved], terminal_group_kid: elsewhere }, o.acme_root)
    await ended(version)
    expect(await one(version)).toMatchObject({ total: many + 2, scrapped: many })
    expect(await countsOf(o.deps, sns)).toEqual({ there: 1, retired: many })
    expect(await miscounted(o.deps)).toEqual([])
  })

  it('shows a limited user what they asked for and what is about their groups only', async () => {
    const [north, south] = [await addGroup(), await addGroup()]
    const [of_north, of_both] = [await limitedTo([north]), await limitedTo([north, south])]
    const [first, second] = [
      await addDevices(o.deps, o.acme.kid, many, north),
      await addDevices(o.deps, o.acme.kid, many, south),
    ]
    const in_none = await addDevices(o.deps, o.acme.kid, many)
    const versions = {
      north: await asked(first.kids),
      south: await asked(second.kids, of_both),
      none: await asked(in_none.kids),
      mixed: await asked([...first.kids.slice(0, 5), ...second.kids.slice(0, 5)]),
    }
    const seen = async (who: As) => {
      const there = (await list(who)).map(({ schedule_version }) => schedule_version)
      return Object.entries(versions).flatMap(([name, version]) => (there.includes(version) ? [name] : []))
    }
    expect(await seen(o.acme_root)).toEqual(['north', 'south', 'none', 'mixed'])
    expect(await seen(of_north)).toEqual(['north'])
    expect(await seen(of_both)).toEqual(['north', 'south', 'mixed'])
    for (const version of [versions.south, versions.none, versions.mixed])
      expect((await cancel(version, of_north)).status).toBe(404)
    expect((await cancel(versions.north, of_north)).result).toBe(1)
    for (const version of Object.values(versions)) await cancel(version)
    await o.deps.db.deleteFrom('terminal_group_user_manged').where('terminal_group_kid', '=', south).execute()
    await o.deps.clock.advance(2_000)
    expect(await seen(of_both)).toEqual(['north', 'south'])
  })

  it('does not happen when who asked for it was disabled meanwhile, or the account was', async () => {
    const thief = await o.person(3, o.acme.kid, `thief-${newKid()}`, ['deviceList*'])
    const { sns, kids } = await addDevices(o.deps, o.acme.kid)
    const version = await asked(kids, thief)
    await o.deps.db.updateTable('user_account').set({ status: 'invalid' }).where('kid', '=', thief.kid).execute()
    await ended(version, 'canceled')
    expect((await one(version))?.canceled_by).toBeNull()
    expect(await countsOf(o.deps, sns)).toEqual({ there: many, retired: 0 })

    const again = await asked(kids)
    const set = (expire_time: Date | null) =>
      o.deps.db.updateTable('account').set({ expire_time }).where('kid', '=', o.acme.kid).execute()
    await set(o.deps.clock.now())
    await due()
    await expect
      .poll(
        async () =>
          (await o.deps.db.selectFrom('scrap_schedule').select('state').where('kid', '=', again).executeTakeFirst())
            ?.state,
      )
      .toBe('canceled')
    await set(null)
    expect(await countsOf(o.deps, sns)).toEqual({ there: many, retired: 0 })
  })

  it('does not happen when its permission was taken from who asked for it, nor to groups that were', async () => {
    const [here, there] = [await addGroup(), await addGroup()]
    const person = await limitedTo([here, there])
    const { sns, kids } = await addDevices(o.deps, o.acme.kid, many, here)
    const other = await addDevices(o.deps, o.acme.kid, many, there)
    const version = await asked([...kids, ...other.kids], person)
    await o.deps.db.deleteFrom('terminal_group_user_manged').where('terminal_group_kid', '=', there).execute()
    await ended(version)
    expect(await countsOf(o.deps, sns)).toEqual({ there: 0, retired: many })
    expect(await countsOf(o.deps, other.sns)).toEqual({ there: many, retired: 0 })

    const thief = await o.person(3, o.acme.kid, `thief-${newKid()}`, ['deviceList*'])
    const again = await asked(other.kids, thief)
    await o.deps.db.deleteFrom('user_role').where('user_kid', '=', thief.kid).execute()
    await ended(again, 'canceled')
    expect(await countsOf(o.deps, other.sns)).toEqual({ there: many, retired: 0 })
  })

  it('counts for the limit of an hour while it waits, and no more when it is stopped', async () => {
    const { db, clock } = o.deps
    await clock.advance(3_600_001)
    const before = Array.from({ length: constants.scrapped_per_hour - many - 5 }, () => ({
      sn: newKid(),
      account_kid: o.acme.kid,
      scrapped_at: clock.now(),
    }))
    await db.insertInto('scrapped_sn').values(before).execute()
    const { kids } = await addDevices(o.deps, o.acme.kid, many + 6)
    const version = await asked(kids.slice(0, many))
    const refused = await ask(kids.slice(many))
    expect(refused).toMatchObject({ status: 429, result: 42015 })
    expect(refused.message).toContain('5 more')
    // These five wait as well: they are more of an hour in which many were hit.
    const more = await asked(kids.slice(many, many + 5))
    expect((await ask(kids.slice(-1))).result).toBe(42015)
    await cancel(version)
    await cancel(await asked(kids.slice(-1)))
    await cancel(more)
    await clock.advance(3_600_001)
  })

  it('is forgotten a day after it ended, and not before it happened', async () => {
    const { kids } = await addDevices(o.deps, o.acme.kid)
    const version = await asked(kids)
    await purgeExpiredRows(o.deps)
    await cancel(version)
    const kept = () => o.deps.db.selectFrom('scrap_schedule').select('kid').where('kid', '=', version).execute()
    await purgeExpiredRows(o.deps)
    expect(await kept()).toHaveLength(1)
    await o.deps.clock.advance(scrap_kept_hours * 3_600_000 + 1)
    await purgeExpiredRows(o.deps)
    expect(await kept()).toEqual([])
  })
})

describe.each(lockingDatabases)('what waits to be scrapped (%s)', (kind) => {
  let deps: TestDeps
  let account_kid: string
  let user_kid: string
  const faults: unknown[] = []
  beforeAll(async () => {
    deps = Object.assign(await openDeps(kind), { onInternalError: (error: unknown) => void faults.push(error) })
    account_kid = await addAccount(deps)
    user_kid = await addUser(deps, account_kid, [], ['deviceList:cancel'])
  })
  afterAll(async () => {
    expect(faults).toEqual([])
    await deps.close()
  })

  /** Another server on the same database, when this one's time has come. */
  const server = (at: Date) => ({ ...deps, node_kid: newKid(), clock: fakeClock(at), memory: newMemory() })
  const caller = (of = account_kid, by_kid = user_kid) =>
    actorOf(deps, { account_kid: of, group_kids: undefined, user_kid: by_kid, name: 'Ann', token_kid: null })
  /** Each is due after the one before: servers of the test before, which may still be at work, are not there yet. */
  const wait = async (who = caller()) => {
    await deps.clock.advance(1)
    const { sns, kids } = await addDevices(deps, who.account_kid)
    const { schedule } = await scrap(who, { terminalKids: kids, confirm: 'DELETE' })
    return { sns, kids, version: schedule!.kid, due_at: schedule!.due_at }
  }
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  const stateOf = async (version: string) =>
    (await deps.db.selectFrom('scrap_schedule').select('state').where('kid', '=', version).executeTakeFirst())?.state
  const ended = (version: string) => expect.poll(() => stateOf(version)).not.toBe('waiting')

  it('is carried out by a server that was started meanwhile, once, and not before its time', async () => {
    const { sns, version, due_at } = await wait()
    const early = server(new Date(due_at.getTime() - 1))
    wake(early, scraps)
    await backgroundAtRest(early)
    expect(await stateOf(version)).toBe('waiting')
    deps.kicked.length = 0
    const servers = Array.from({ length: 3 }, () => server(due_at))
    for (const each of servers) wake(each, scraps)
    await Promise.all(servers.map(backgroundAtRest))
    expect(await stateOf(version)).toBe('done')
    expect(await countsOf(deps, sns)).toEqual({ there: 0, retired: many })
    expect(deps.kicked).toHaveLength(many)
  })

  /** All of it happened and stopping it was refused, or the other way round. */
  const expectOneOf = async ({ sns, version }: { sns: string[]; version: string }, stopped: unknown) => {
    await ended(version)
    const is_done = (await stateOf(version)) === 'done'
    expect(await countsOf(deps, sns)).toEqual(is_done ? { there: 0, retired: many } : { there: many, retired: 0 })
    expect(stopped).toEqual(
      is_done ? 'scrap_not_waiting' : { not_refused: expect.objectContaining({ state: 'canceled' }) },
    )
  }

  it('either happens or is stopped when both are tried in the same moment', async () => {
    for (let round = 0; round < 12; round++) {
      const waiting = await wait()
      const stopped = pause(round % 2 ? 0 : round).then(() => refusalOf(cancelSchedule(caller(), waiting.version)))
      await pause(round % 2 ? round : 0)
      for (let n = 0; n < 2; n++) wake(server(waiting.due_at), scraps)
      await expectOneOf(waiting, await stopped)
    }
    expect(await miscounted(deps)).toEqual([])
  })

  // The embedded database lets nobody else in while a transaction is open: there, who came first goes on first.
  it.each([
    ['account', 'canceled'],
    ['terminal', 'done'],
  ] as const)('is stopped in time while it waits for the lock of its %s: %s', async (table, outcome) => {
    const waiting = await wait()
    const held = table === 'account' ? [account_kid] : waiting.kids
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => (release = resolve))
    const holding = deps.db.transaction().execute(async (trx) => {
      await trx.selectFrom(table).select('kid').where('kid', 'in', held).forUpdate().execute()
      await isReleased
    })
    await pause(100)
    wake(server(waiting.due_at), scraps)
    await pause(300)
    const stopped = refusalOf(cancelSchedule(caller(), waiting.version))
    await pause(300)
    release()
    await holding
    await expectOneOf(waiting, await stopped)
    expect(await stateOf(waiting.version)).toBe(kind === 'postgres' ? outcome : 'done')
  })

  it('goes with its account, and hinders no other', async () => {
    const other = await addAccount(deps)
    const doomed = await wait(caller(other))
    const { sns, version, due_at } = await wait()
    await deps.db.deleteFrom('terminal').where('account_kid', '=', other).execute()
    await deps.db.deleteFrom('account').where('kid', '=', other).execute()
    wake(server(due_at), scraps)
    await ended(version)
    expect(await stateOf(doomed.version)).toBeUndefined()
    expect(await countsOf(deps, sns)).toEqual({ there: 0, retired: many })
  })

  it('stays as it was when it fails half-way, says so, and hinders no other', async () => {
    const { sns, version } = await wait()
    const next = await wait()
    const broken = { ...server(next.due_at), onInternalError: () => {} }
    await deps.db.schema
      .alterTable('scrapped_sn')
      .addCheckConstraint('not_this_one', sql`sn <> ${sql.lit(sns.at(-1)!)}`)
      .execute()
    wake(broken, scraps)
    await ended(version)
    await ended(next.version)
    await deps.db.schema.alterTable('scrapped_sn').dropConstraint('not_this_one').execute()
    expect([await stateOf(version), await stateOf(next.version)]).toEqual(['failed', 'done'])
    expect(await countsOf(deps, sns)).toEqual({ there: many, retired: 0 })
  })
})
