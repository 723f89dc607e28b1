import { TerminalFilter } from '@mdm/contract'
import type { AlertWatch } from '@mdm/contract'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ensurePartitions } from '../../../jobs/partitions.ts'
import { newKid } from '../../../lib/ids.ts'
import { alertsOf, draftOf, page } from '../../../testing/alerts.ts'
import { addApp } from '../../../testing/apps.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { addAccount, addTerminal, addUser, databases, openDeps, refusalOf } from '../../../testing/devices.ts'
import { keepInstalled } from '../../fleet/installed-app/index.ts'
import { paging as pagingDevices } from '../../devices/terminal/index.ts'
import * as alerts from './index.ts'

describe.each(databases)('alerts on %s', (kind) => {
  let deps: TestDeps
  beforeAll(async () => {
    deps = await openDeps(kind)
    await ensurePartitions(deps)
  })
  afterAll(() => deps?.close())
  const { as, pass, addGroup, of, set } = alertsOf(() => deps)

  it('fires after its time, never flaps, and resolves when the last device is calm', async () => {
    const account = await addAccount(deps)
    const who = await as(account)
    const [low, other] = [await addTerminal(deps, account), await addTerminal(deps, account)]
    const { kid } = await alerts.insert(who, draftOf({ for_minutes: 5, calm_minutes: 2, is_noncompliant: true }))
    await set([low, other], { battery_level: 80 })
    await pass(0)
    expect(await of(who)).toEqual([])
    await set([low], { battery_level: 20 })
    await pass(1_000)
    const rule = async () => (await alerts.pagingRules(who, page)).items.find((each) => each.kid === kid)!
    expect(await rule()).toMatchObject({ firing: 0, waiting: 1 })
    // It recovers before its time: forgotten.
    await set([low], { battery_level: 60 })
    await pass(60_000)
    expect(await rule()).toMatchObject({ firing: 0, waiting: 0 })
    await set([low], { battery_level: 18 })
    await pass(1_000)
    await pass(299_000)
    expect(await of(who)).toEqual([])
    await pass(2_000)
    expect(await of(who)).toMatchObject([{ state: 'open', count: 1, kind: 'battery', severity: 'warning' }])
    const listed = async (is_compliant: boolean) =>
      (await pagingDevices(who, { ...page, ...TerminalFilter.parse({ is_compliant }) })).items.map((row) => row.kid)
    expect([await listed(false), await listed(true)]).toEqual([[low], [other]])
    // A level that wavers around the limit changes nothing.
    for (const battery_level of [21, 19, 24, 20, 23]) {
      await set([low], { battery_level })
      await pass(180_000)
    }
    expect(await of(who)).toMatchObject([{ state: 'open', count: 1, peak: 1 }])
    await set([low], { battery_level: 40 })
    await pass(1_000)
    expect(await of(who)).toMatchObject([{ state: 'open' }])
    await pass(121_000)
    const [ended] = await of(who)
    expect(ended).toMatchObject({ state: 'resolved', count: 0, peak: 1, resolved_by: null })
    expect((await alerts.pagingTerminal(who, { ...page, alert_kid: ended!.kid })).items).toMatchObject([
      { kid: low, cleared_at: deps.clock.now() },
    ])
    expect(await listed(false)).toEqual([])
  })

  it('does not flap however a figure jitters inside of its hysteresis', async () => {
    const account = await addAccount(deps)
    const who = await as(account)
    const [was_bad, was_good] = [await addTerminal(deps, account), await addTerminal(deps, account)]
    // What it says of a figure above or below the limit by so much; a step inside of the band is neither.
    const kinds = {
      battery: { said: (level: number) => ({ battery_level: level }), bad: -1, good: 10, inside: [1, 2, 3, 4] },
      storage: {
        said: (used: number) => ({ run: JSON.stringify({ storage_used: used, storage_total: 100 }) }),
        bad: 1,
        good: -10,
        inside: [-1, -2],
      },
    }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...(['battery', 'storage'] as const)),
        fc.integer({ min: 15, max: 85 }),
        fc.array(fc.tuple(fc.nat(3), fc.nat(3), fc.nat(600)), { minLength: 3, maxLength: 6 }),
        async (name, percent, jitter) => {
          const { said, bad, good, inside } = kinds[name]
          const by = (step: number) => inside[step % inside.length]!
          await set([was_bad], said(percent + bad))
          await set([was_good], said(percent + good))
          const watch = { kind: name, params: { percent } }
          const { kid } = await alerts.insert(who, draftOf({ watch, calm_minutes: 0 }))
          const mine = async () => (await of(who)).filter(({ rule_kid }) => rule_kid === kid)
          await pass(1_000)
          const open = [{ state: 'open', count: 1, peak: 1 }]
          expect(await mine()).toMatchObject(open)
          for (const [one, other, seconds] of jitter) {
            await set([was_bad], said(percent + by(one)))
            await set([was_good], said(percent + by(other)))
            await pass(seconds * 1_000)
            expect(await mine()).toMatchObject(open)
          }
          await set([was_bad], said(percent + good))
          await pass(1_000)
          await pass(1_000)
          expect(await mine()).toMatchObject([{ state: 'resolved', peak: 1 }])
          await alerts.remove(who, kid)
        },
      ),
      { numRuns: 6 },
    )
  })

  it('counts for a user who is limited to groups the devices there, though the rule watches more', async () => {
    const account = await addAccount(deps)
    const who = await as(account)
    const group = await addGroup(account)
    const [mine, beyond] = [await addTerminal(deps, account), await addTerminal(deps, account)]
    await deps.db.updateTable('terminal').set({ terminal_group_kid: group }).where('kid', '=', mine).execute()
    await alerts.insert(who, draftOf({ calm_minutes: 0 }))
    await set([mine, beyond], { battery_level: 5 })
    await pass(1_000)
    expect(await of(who)).toMatchObject([{ count: 2, peak: 2 }])
    const limited = { ...who, visible_groups: [group], scope: deps.scope(account, [group]) }
    expect(await of(limited)).toMatchObject([{ state: 'open', count: 1, peak: 1 }])
    expect((await alerts.listOpen(limited)).alerts).toMatchObject([{ count: 1, peak: 1 }])
    const [alert] = await of(who)
    expect(await alerts.get(limited, alert!)).toMatchObject({ count: 1 })
    await set([mine], { battery_level: 90 })
    await pass(1_000)
    await pass(1_000)
    expect(await of(who)).toMatchObject([{ count: 1, peak: 2 }])
    expect(await of(limited)).toMatchObject([{ state: 'open', count: 0, peak: 1 }])
  })

  it('is acknowledged, silenced and resolved by hand, and comes back only when it was over', async () => {
    const account = await addAccount(deps)
    const who = await as(account)
    const device = await addTerminal(deps, account)
    await set([device], { battery_level: 5 })
    const { kid } = await alerts.insert(who, draftOf({ calm_minutes: 0, is_noncompliant: true }))
    await pass(1_000)
    const [alert] = await of(who)
    expect(await alerts.listOpen(who)).toMatchObject({ open: 1, alerts: [{ kid: alert!.kid }] })
    expect(await alerts.get(who, alert!)).toMatchObject({ kid: alert!.kid, state: 'open', count: 1 })
    const ofDevice = { rule_kid: kid, alert_kid: alert!.kid, kind: 'battery', is_noncompliant: true }
    expect(await alerts.listByTerminal(who, device)).toMatchObject([ofDevice])
    expect(await refusalOf(alerts.acknowledge(who, [alert!.kid, newKid()]))).toBe('not_found')
    expect(await alerts.listOpen(who)).toMatchObject({ open: 1 })
    expect((await alerts.acknowledge(who, [alert!.kid, alert!.kid])).done).toMatchObject([{ kid: alert!.kid }])
    expect((await alerts.acknowledge(who, [alert!.kid])).done).toEqual([])
    expect(await alerts.listOpen(who)).toMatchObject({ open: 0, alerts: [{ acknowledged_by: 'Ann' }] })
    await alerts.silence(who, { kid, hours: 2 })
    expect(await alerts.listOpen(who)).toEqual({ open: 0, alerts: [] })
    await alerts.silence(who, { kid, hours: 0 })
    await alerts.resolve(who, alert!.kid)
    expect(await refusalOf(alerts.resolve(who, alert!.kid))).toBe('alert_not_open')
    await pass(60_000)
    expect(await of(who)).toMatchObject([{ state: 'resolved', resolved_by: 'Ann' }])
    // It is still so: the device is not compliant, though nobody is told of it again.
    expect(await alerts.listByTerminal(who, device)).toMatchObject([{ ...ofDevice, alert_kid: null }])
    await set([device], { battery_level: 90 })
    await pass(1_000)
    await pass(1_000)
    expect(await alerts.listByTerminal(who, device)).toEqual([])
    await set([device], { battery_level: 5 })
    await pass(1_000)
    expect((await of(who)).map(({ state }) => state)).toEqual(['open', 'resolved'])
    const stranger = await as(await addAccount(deps))
    expect(await refusalOf(alerts.resolve(stranger, alert!.kid))).toBe('not_found')
    expect(await refusalOf(alerts.get(stranger, alert!))).toBe('not_found')
    expect(await refusalOf(alerts.listByTerminal(stranger, device))).toBe('not_found')
    const limited = await as(account, [await addGroup(account)])
    expect(await refusalOf(alerts.listByTerminal(limited, device))).toBe('not_found')
    expect(await refusalOf(alerts.remove(stranger, kid))).toBe('not_found')
    await alerts.remove(who, kid)
    expect((await of(who)).map(({ state }) => state)).toEqual(['resolved', 'resolved'])
  })

  it('is only about devices that its maker may reach, and does only what its maker may order', async () => {
    const account = await addAccount(deps)
    const device = await addTerminal(deps, account)
    await set([device], { battery_level: 5 })
    const limited = await as(account, [await addGroup(account)])
    await alerts.insert(limited, draftOf({}))
    await pass(1_000)
    expect(await of(limited)).toEqual([])
    expect(await alerts.preview(limited, { watch: { kind: 'battery', params: { percent: 20 } } })).toEqual({
      total: 0,
      devices: [],
    })
    expect(
      await alerts.preview(await as(account), { watch: { kind: 'battery', params: { percent: 20 } } }),
    ).toMatchObject({
      total: 1,
      devices: [{ kid: device }],
    })
    const expires = { watch: { kind: 'account_expiry' as const, params: { days: 30 } } }
    expect(await refusalOf(alerts.preview(limited, expires))).toBe('no_permission')
    const nobody = { ...(await as(account)), may: () => false }
    const action = { type: 'lock', password: '4711' }
    expect(await refusalOf(alerts.insert(nobody, draftOf({ action })))).toBe('no_permission')
    const expiry = { kind: 'account_expiry', params: { days: 30 } }
    expect(await refusalOf(alerts.insert(await as(account), draftOf({ watch: expiry, action })))).toBe(
      'alert_of_account',
    )
    expect(await refusalOf(alerts.insert(limited, draftOf({ watch: expiry })))).toBe('no_permission')
    const { kid } = await alerts.insert(await as(account), draftOf({ action, match: TerminalFilter.parse({}) }))
    const rules = (await alerts.pagingRules(await as(account), page)).items
    expect(rules.find((each) => each.kid === kid)!.action).toEqual({ type: 'lock', has_password: true })
    const stored = await deps.db
      .selectFrom('alert_rule')
      .select('action_sealed')
      .where('kid', '=', kid)
      .executeTakeFirst()
    expect(stored!.action_sealed).not.toContain('4711')
  })

  it('watches what its maker may reach today, and nothing for one who may make no rules any more', async () => {
    const account = await addAccount(deps)
    const [north, south] = [await addGroup(account), await addGroup(account)]
    const there = async (terminal_group_kid: string) => {
      const kid = await addTerminal(deps, account, { terminal_group_kid })
      await set([kid], { battery_level: 5 })
      return kid
    }
    const [first, second] = [await there(north), await there(south)]
    const [maker, boss] = [await as(account, [north]), await as(account)]
    const { kid } = await alerts.insert(maker, draftOf({ name: 'Batteries', calm_minutes: 0 }))
    const found = async () => {
      await pass(1_000)
      await pass(1_000)
      const open = (await of(boss)).find(({ state }) => state === 'open')
      if (!open) return []
      const { items } = await alerts.pagingTerminal(boss, { ...page, alert_kid: open.kid, is_firing: true })
      return items.map((row) => row.kid)
    }
    const limits = (terminal_group_kid: string) => ({
      account_kid: account,
      user_kid: maker.user.kid,
      terminal_group_kid,
    })
    const is_paused = async () => (await alerts.pagingRules(boss, page)).items[0]!.is_paused
    expect(await found()).toEqual([first])
    await deps.db.insertInto('terminal_group_user_manged').values(limits(south)).execute()
    expect((await found()).toSorted()).toEqual([first, second].toSorted())
    await deps.db.deleteFrom('terminal_group_user_manged').where('terminal_group_kid', '=', north).execute()
    expect([await found(), await is_paused()]).toEqual([[second], false])

    const roles = await deps.db.deleteFrom('user_role').where('user_kid', '=', maker.user.kid).returningAll().execute()
    expect([await found(), await is_paused()]).toEqual([[], true])
    expect((await of(boss)).every(({ state }) => state === 'resolved')).toBe(true)
    await deps.db.insertInto('user_role').values(roles).execute()
    expect([await found(), await is_paused()]).toEqual([[second], false])
    await deps.db.updateTable('user_account').set({ status: 'invalid' }).where('kid', '=', maker.user.kid).execute()
    expect([await found(), await is_paused()]).toEqual([[], true])
    // Somebody else takes it over by saving it.
    const { watch } = draftOf({})
    await alerts.update(boss, { kid, name: 'Batteries', watch })
    expect((await found()).toSorted()).toEqual([first, second].toSorted())
    expect(await is_paused()).toBe(false)
  })

  it('watches for an operator within a customer as long as the customer may be entered', async () => {
    const account = await addAccount(deps)
    const boss = await as(account)
    const device = await addTerminal(deps, account)
    await set([device], { battery_level: 5 })
    const provider = newKid()
    await deps.db.insertInto('account').values({ kid: provider, type: 101, name: provider, parent_kid: null }).execute()
    const held = ['alertRuleList:*']
    const user_kid = await addUser(deps, provider, [], [...held, 'externalUserManageList:enter'])
    await deps.db.updateTable('user_account').set({ type: 101 }).where('kid', '=', user_kid).execute()
    await alerts.insert({ ...boss, user: { kid: user_kid, name: 'Support' } }, draftOf({ calm_minutes: 0 }))
    const is_paused = async () => (await alerts.pagingRules(boss, page)).items[0]!.is_paused
    await pass(1_000)
    expect([await is_paused(), (await of(boss)).map(({ state }) => state)]).toEqual([false, ['open']])
    await deps.db.updateTable('role').set({ permissions: held }).where('account_kid', '=', provider).execute()
    await pass(1_000)
    expect([await is_paused(), (await of(boss)).map(({ state }) => state)]).toEqual([true, ['resolved']])
  })

  it('knows of each kind when it is so, and when it is not any more', async () => {
    const account = await addAccount(deps)
    const who = await as(account)
    const now = deps.clock.now()
    const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000)
    const device = async (terminal: object = {}, state: object = {}) => {
      const kid = await addTerminal(deps, account, terminal)
      await set([kid], { is_online: true, ...state })
      return kid
    }
    const [calm, low, full, away, out, old] = [
      await device({ os_version: '10.2' }, { battery_level: 90 }),
      await device({}, { battery_level: 20 }),
      await device({}, { run: JSON.stringify({ storage_used: 95, storage_total: 100 }) }),
      await device({}, { is_online: false, last_online_at: ago(61) }),
      await device({}, { fence_state: 'outside' }),
      await device({ os_version: '9.10' }),
    ]
    await keepInstalled(deps.db, [
      {
        terminal_kid: old,
        packages: [
          { name: 'com.acme', version: '1.9' },
          { name: 'com.coded', version: '8.0.9' },
        ],
      },
      {
        terminal_kid: calm,
        packages: [
          { name: 'com.acme', version: '1.10' },
          { name: 'com.coded', version: '8.0.10', version_code: 192 },
        ],
      },
      { terminal_kid: low, packages: [{ name: 'com.coded', version: '8.0.10', version_code: 193 }] },
    ])
    await deps.db
      .insertInto('terminal_config_delivery')
      .values({ terminal_kid: low, account_kid: account, version: 3, is_dirty: false, send_at: now, sent_at: ago(61) })
      .execute()
    await failedPush(deps, account, out, ago(30))
    const certified = await device({}, {})
    const certificate = (days: number) => ({
      certificates: [{ name: 'a', expires_at: new Date(now.getTime() + days * 86_400_000).toISOString() }],
    })
    const by = { updated_by_kid: newKid(), updated_by: 'Ann', updated_at: now }
    const setCertificates = (place: { ltscope: 20 | 40; terminal_kid: string | null }, days: number) =>
      deps.db
        .insertInto('terminal_config')
        .values({
          kid: newKid(),
          account_kid: account,
          section: 'certificates',
          terminal_group_kid: null,
          value: JSON.stringify(certificate(days)),
          ...place,
          ...by,
        })
        .execute()
    await setCertificates({ ltscope: 40, terminal_kid: certified }, 10)
    const found = async (watch: AlertWatch) => (await alerts.preview(who, { watch })).devices.map(({ kid }) => kid)
    expect(await found({ kind: 'battery', params: { percent: 20 } })).toEqual([low])
    expect(await found({ kind: 'storage', params: { percent: 95 } })).toEqual([full])
    expect(await found({ kind: 'storage', params: { percent: 96 } })).toEqual([])
    expect(await found({ kind: 'offline', params: { minutes: 60 } })).toEqual([away])
    expect(await found({ kind: 'offline', params: { minutes: 62 } })).toEqual([])
    expect(await found({ kind: 'fence', params: {} })).toEqual([out])
    expect(await found({ kind: 'os_behind', params: { version: '10.0' } })).toEqual([old])
    expect(await found({ kind: 'app_behind', params: { package: 'com.acme', version: '1.10' } })).toEqual([old])
    const coded = { kind: 'app_behind', params: { package: 'com.coded', version: '8.0.10' } } as const
    expect(await found(coded)).toEqual([old])
    await addApp(deps, { account_kid: account, package: 'com.coded', version_name: '8.0.10', version_code: 193 })
    expect((await found(coded)).toSorted()).toEqual([calm, old].toSorted())
    expect(await found({ kind: 'config_drift', params: { minutes: 60 } })).toEqual([low])
    expect(await found({ kind: 'config_drift', params: { minutes: 62 } })).toEqual([])
    expect(await found({ kind: 'failed_tasks', params: { count: 1, hours: 1 } })).toEqual([out])
    expect(await found({ kind: 'failed_tasks', params: { count: 2, hours: 1 } })).toEqual([])
    await deps.db
      .updateTable('account')
      .set({ expire_time: new Date(now.getTime() + 20 * 86_400_000) })
      .where('kid', '=', account)
      .execute()
    expect(await found({ kind: 'certificate_expiry', params: { days: 11 } })).toEqual([certified])
    expect(await found({ kind: 'certificate_expiry', params: { days: 9 } })).toEqual([])
    // What the account sets holds for everybody else, and not for a device that has its own.
    await setCertificates({ ltscope: 20, terminal_kid: null }, 5)
    const others = await found({ kind: 'certificate_expiry', params: { days: 9 } })
    expect([others.includes(low), others.includes(certified)]).toEqual([true, false])
    const expiry = { kind: 'account_expiry', params: { days: 30 } } as const
    expect(await alerts.preview(who, { watch: expiry })).toEqual({ total: 1, devices: [] })
    await alerts.insert(who, draftOf({ name: 'Account', watch: expiry }))
    await pass(1_000)
    expect(await of(who)).toMatchObject([{ name: 'Account', count: 1, state: 'open' }])
    await deps.db.updateTable('account').set({ expire_time: null }).where('kid', '=', account).execute()
    await pass(1_000)
    expect(await of(who)).toMatchObject([{ state: 'resolved' }])
  })

  it('does what its rule orders, as whoever made it may today', async () => {
    const account = await addAccount(deps)
    const who = await as(account)
    const user_kid = who.user.kid
    const device = await addTerminal(deps, account)
    await set([device], { battery_level: 5 })
    const action = { type: 'message', title: 'Charge', text: 'Please charge this device.' }
    const { kid } = await alerts.insert(who, draftOf({ action, calm_minutes: 0 }))
    await pass(1_000)
    const error = async () => (await alerts.pagingRules(who, page)).items.find((each) => each.kid === kid)!.last_error
    await expect.poll(error).toMatch(/permission/)
    const role_kid = newKid()
    const role = { kid: role_kid, account_kid: account, code: 'sender', name: 'Sender' }
    await deps.db
      .insertInto('role')
      .values({ ...role, permissions: ['deviceDetailPushMessage:*'] } as never)
      .execute()
    await deps.db
      .insertInto('user_role')
      .values({ user_kid, role_kid } as never)
      .execute()
    await set([device], { battery_level: 90 })
    await pass(1_000)
    await pass(1_000)
    await set([device], { battery_level: 5 })
    await pass(1_000)
    const pushed = () =>
      deps.db.selectFrom('push_task').select(['type', 'target_count']).where('account_kid', '=', account).execute()
    await expect.poll(pushed).toEqual([{ type: 'message', target_count: 1 }])
  })

  it('locks devices that are not compliant, and moves them to a group', async () => {
    const account = await addAccount(deps)
    const who = await as(account)
    const role_kid = newKid()
    const role = { kid: role_kid, account_kid: account, code: 'keeper', name: 'Keeper' }
    const permissions = ['deviceDetailInfo:*', 'deviceList:*']
    await deps.db
      .insertInto('role')
      .values({ ...role, permissions } as never)
      .execute()
    await deps.db
      .insertInto('user_role')
      .values({ user_kid: who.user.kid, role_kid } as never)
      .execute()
    const [low, full] = [await addTerminal(deps, account), await addTerminal(deps, account)]
    const terminal_group_kid = await addGroup(account)
    await alerts.insert(who, draftOf({ action: { type: 'lock', password: '4711' } }))
    const watch = { kind: 'storage', params: { percent: 90 } }
    const moving = await alerts.insert(who, draftOf({ watch, action: { type: 'move', terminal_group_kid } }))
    await set([low], { battery_level: 5 })
    await set([full], { run: JSON.stringify({ storage_used: 95, storage_total: 100 }) })
    await pass(1_000)
    const pushed = () =>
      deps.db.selectFrom('push_task').select(['type', 'target_count']).where('account_kid', '=', account).execute()
    await expect.poll(pushed).toEqual([{ type: 'lock', target_count: 1 }])
    const grouped = () =>
      deps.db.selectFrom('terminal').select('kid').where('terminal_group_kid', '=', terminal_group_kid).execute()
    await expect.poll(grouped).toEqual([{ kid: full }])
    const rules = (await alerts.pagingRules(who, page)).items
    expect(rules.find(({ kid }) => kid === moving.kid)).toMatchObject({ last_error: null, firing: 1 })
  })
})

/** A push that failed on this device. */
async function failedPush(deps: TestDeps, account_kid: string, terminal_kid: string, at: Date): Promise<void> {
  const push_task_kid = newKid()
  await sql`
    INSERT INTO push_task (kid, account_kid, type, payload, description, summary, created_by_kid, created_by, created_at, total, wait_receipt, failed)
    VALUES (${push_task_kid}, ${account_kid}, 'message', '{}', '', '', ${push_task_kid}, 'Ann', ${at}, 1, 0, 1)`.execute(
    deps.db,
  )
  await sql`
    INSERT INTO push_task_terminal (push_task_kid, terminal_kid, account_kid, sn, type, state, state_at, created_at)
    VALUES (${push_task_kid}, ${terminal_kid}, ${account_kid}, 'X', 'message', 'failed', ${at}, ${at})`.execute(deps.db)
}
