import { contract, TerminalFilter } from '@mdm/contract'
import type { AlertWatch } from '@mdm/contract'
import { sql } from 'kysely'
import { SMTPServer } from 'smtp-server'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKid } from '../../lib/ids.ts'
import { testActor } from '../../testing/actor.ts'
import type { TestDeps } from '../../testing/deps.ts'
import { addAccount, addTerminal, addUser, databases, openDeps, refusalOf } from '../../testing/devices.ts'
import { keepInstalled } from '../installed-app/service.ts'
import { paging as pagingDevices } from '../terminal/service.ts'
import * as alerts from './service.ts'
import { wakeMails } from './mail.ts'

const draftOf = (more: object) =>
  contract.alertRule.calls.insert.input.parse({
    name: newKid(),
    watch: { kind: 'battery', params: { percent: 20 } },
    ...more,
  })

describe.each(databases)('alerts on %s', (kind) => {
  let deps: TestDeps
  beforeAll(async () => void (deps = await openDeps(kind)), 60_000)
  afterAll(() => deps?.close(), 30_000)

  const as = (account_kid: string, reach?: string[], language = 'en') => ({
    ...testActor(deps, account_kid, reach),
    may: () => true,
    request: { language } as never,
  })
  const judge = async () => {
    // Who changes a rule has it judged in the background, and a rule is judged by one at a time.
    await new Promise((resolve) => setTimeout(resolve, 20))
    await sql`SELECT 1 FROM alert_rule FOR UPDATE`.execute(deps.db)
    await alerts.judgeRules(deps, { is_settled: true })
  }
  const pass = async (ms: number) => {
    deps.clock.jump(ms)
    await judge()
  }
  const page = { page: 1, page_size: 50 }
  const of = async (viewer: ReturnType<typeof as>) => (await alerts.paging(viewer, page)).items
  const set = (kids: string[], state: object) =>
    deps.db.updateTable('terminal_state').set(state).where('terminal_kid', 'in', kids).execute()

  it('fires after its time, never flaps, and resolves when the last device is calm', async () => {
    const account = await addAccount(deps)
    const who = as(account)
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

  it('of thousands of devices offline at once is one that opens and one that resolves', async () => {
    const many = kind === 'embedded' ? 2_000 : 10_000
    const account = await addAccount(deps)
    const who = as(account)
    const now = deps.clock.now()
    await sql`
      INSERT INTO terminal (kid, account_kid, sn, claim_hash, registered_at)
      SELECT gen_random_uuid(), ${account}::uuid, 'STORM-' || ${account} || n, decode(md5(n::text || ${account}), 'hex'), ${now}
      FROM generate_series(1, ${many}::integer) n`.execute(deps.db)
    await sql`
      INSERT INTO terminal_state (terminal_kid, account_kid, is_online, last_online_at)
      SELECT kid, account_kid, true, ${now} FROM terminal WHERE account_kid = ${account}`.execute(deps.db)
    // As the server does by itself in time: without it the plans are those of a handful of devices.
    await sql`ANALYZE terminal, terminal_state`.execute(deps.db)
    const { kid } = await alerts.insert(
      who,
      draftOf({ watch: { kind: 'offline', params: { minutes: 1 } }, calm_minutes: 0, emails: ['ops@example.com'] }),
    )
    await pass(60_000)
    expect(await of(who)).toEqual([])
    await sql`UPDATE terminal_state SET is_online = false, last_online_at = ${deps.clock.now()}
      WHERE account_kid = ${account}`.execute(deps.db)
    await pass(61_000)
    await pass(15_000)
    expect(await of(who)).toMatchObject([{ rule_kid: kid, state: 'open', count: many, peak: many }])
    await sql`UPDATE terminal_state SET is_online = true WHERE account_kid = ${account}`.execute(deps.db)
    await pass(60_000)
    await pass(15_000)
    expect(await of(who)).toMatchObject([{ state: 'resolved', peak: many }])
    await sql`ANALYZE alert_terminal`.execute(deps.db)
  })

  it('is acknowledged, silenced and resolved by hand, and comes back only when it was over', async () => {
    const account = await addAccount(deps)
    const who = as(account)
    const device = await addTerminal(deps, account)
    await set([device], { battery_level: 5 })
    const { kid } = await alerts.insert(who, draftOf({ calm_minutes: 0 }))
    await pass(1_000)
    const [alert] = await of(who)
    expect(await alerts.listOpen(who)).toMatchObject({ open: 1, alerts: [{ kid: alert!.kid }] })
    await alerts.acknowledge(who, alert!.kid)
    expect(await refusalOf(alerts.acknowledge(who, alert!.kid))).toBe('alert_not_open')
    expect(await alerts.listOpen(who)).toMatchObject({ open: 0, alerts: [{ acknowledged_by: 'Ann' }] })
    await alerts.silence(who, { kid, hours: 2 })
    expect(await alerts.listOpen(who)).toEqual({ open: 0, alerts: [] })
    await alerts.silence(who, { kid, hours: 0 })
    await alerts.resolve(who, alert!.kid)
    expect(await refusalOf(alerts.resolve(who, alert!.kid))).toBe('alert_not_open')
    await pass(60_000)
    expect(await of(who)).toMatchObject([{ state: 'resolved', resolved_by: 'Ann' }])
    await set([device], { battery_level: 90 })
    await pass(1_000)
    await pass(1_000)
    await set([device], { battery_level: 5 })
    await pass(1_000)
    expect((await of(who)).map(({ state }) => state)).toEqual(['open', 'resolved'])
    const stranger = as(await addAccount(deps))
    expect(await refusalOf(alerts.resolve(stranger, alert!.kid))).toBe('not_found')
    expect(await refusalOf(alerts.remove(stranger, kid))).toBe('not_found')
    await alerts.remove(who, kid)
    expect((await of(who)).map(({ state }) => state)).toEqual(['resolved', 'resolved'])
  })

  it('is only about devices that its maker may reach, and does only what its maker may order', async () => {
    const account = await addAccount(deps)
    const device = await addTerminal(deps, account)
    await set([device], { battery_level: 5 })
    const limited = as(account, [newKid()])
    await alerts.insert(limited, draftOf({}))
    await pass(1_000)
    expect(await of(limited)).toEqual([])
    expect(await alerts.preview(limited, { watch: { kind: 'battery', params: { percent: 20 } } })).toEqual({
      total: 0,
      devices: [],
    })
    expect(await alerts.preview(as(account), { watch: { kind: 'battery', params: { percent: 20 } } })).toMatchObject({
      total: 1,
      devices: [{ kid: device }],
    })
    const nobody = { ...as(account), may: () => false }
    const action = { type: 'lock', password: '4711' }
    expect(await refusalOf(alerts.insert(nobody, draftOf({ action })))).toBe('no_permission')
    const expiry = { kind: 'account_expiry', params: { days: 30 } }
    expect(await refusalOf(alerts.insert(as(account), draftOf({ watch: expiry, action })))).toBe('alert_of_account')
    expect(await refusalOf(alerts.insert(limited, draftOf({ watch: expiry })))).toBe('no_permission')
    const { kid } = await alerts.insert(as(account), draftOf({ action, match: TerminalFilter.parse({}) }))
    const rules = (await alerts.pagingRules(as(account), page)).items
    expect(rules.find((each) => each.kid === kid)!.action).toEqual({ type: 'lock', has_password: true })
    const stored = await deps.db
      .selectFrom('alert_rule')
      .select('action_sealed')
      .where('kid', '=', kid)
      .executeTakeFirst()
    expect(stored!.action_sealed).not.toContain('4711')
  })

  it('knows of each kind when it is so, and when it is not any more', async () => {
    const account = await addAccount(deps)
    const who = as(account)
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
      { terminal_kid: old, packages: [{ name: 'com.acme', version: '1.9' }] },
      { terminal_kid: calm, packages: [{ name: 'com.acme', version: '1.10' }] },
    ])
    await deps.db
      .insertInto('terminal_config_delivery')
      .values({ terminal_kid: low, account_kid: account, version: 3, is_dirty: false, send_at: now, sent_at: ago(61) })
      .execute()
    await failedPush(deps, account, out, ago(30))
    const found = async (watch: AlertWatch) => (await alerts.preview(who, { watch })).devices.map(({ kid }) => kid)
    expect(await found({ kind: 'battery', params: { percent: 20 } })).toEqual([low])
    expect(await found({ kind: 'storage', params: { percent: 95 } })).toEqual([full])
    expect(await found({ kind: 'storage', params: { percent: 96 } })).toEqual([])
    expect(await found({ kind: 'offline', params: { minutes: 60 } })).toEqual([away])
    expect(await found({ kind: 'offline', params: { minutes: 62 } })).toEqual([])
    expect(await found({ kind: 'fence', params: {} })).toEqual([out])
    expect(await found({ kind: 'os_behind', params: { version: '10.0' } })).toEqual([old])
    expect(await found({ kind: 'app_behind', params: { package: 'com.acme', version: '1.10' } })).toEqual([old])
    expect(await found({ kind: 'config_drift', params: { minutes: 60 } })).toEqual([low])
    expect(await found({ kind: 'config_drift', params: { minutes: 62 } })).toEqual([])
    expect(await found({ kind: 'failed_tasks', params: { count: 1, hours: 1 } })).toEqual([out])
    expect(await found({ kind: 'failed_tasks', params: { count: 2, hours: 1 } })).toEqual([])
    await deps.db
      .updateTable('account')
      .set({ expire_time: new Date(now.getTime() + 20 * 86_400_000) })
      .where('kid', '=', account)
      .execute()
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
    const user_kid = await addUser(deps, account)
    const who = { ...as(account), user: { kid: user_kid, name: 'Ann' } }
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
      deps.db.selectFrom('push_task').select(['type', 'meant']).where('account_kid', '=', account).execute()
    await expect.poll(pushed).toEqual([{ type: 'message', meant: 1 }])
  })

  it('is told by mail in the language of whoever reads it', async () => {
    const received: string[] = []
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ['STARTTLS'],
      onData(stream, _session, done) {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', () => {
          received.push(Buffer.concat(chunks).toString('utf8'))
          done()
        })
      },
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.server.address() as AddressInfo
    deps.config.smtp = { url: `smtp://127.0.0.1:${port}`, from: 'MDM <mdm@example.com>' }
    const account = await addAccount(deps)
    for (const [email, language] of [
      ['vi@example.com', 'vi'],
      ['zh@example.com', 'zh-cn'],
    ] as const) {
      const kid = await addUser(deps, account)
      const set_to = { email: `${kind}.${email}`, language }
      await deps.db.updateTable('user_account').set(set_to).where('kid', '=', kid).execute()
    }
    const device = await addTerminal(deps, account, { name: 'Quầy 1' })
    await set([device], { battery_level: 5 })
    const emails = [`${kind}.vi@example.com`, `${kind}.ZH@example.com`, 'boss@example.org']
    await alerts.insert(as(account), draftOf({ name: 'Pin dưới 20 %', emails, calm_minutes: 0 }))
    await pass(1_000)
    wakeMails(deps)
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(3)
    const mails = received.map((raw) => decoded(raw))
    const to = (address: string) => mails.find((mail) => mail.includes(`To: ${address}`))!
    expect(to(emails[0]!)).toMatch(/Subject: Cảnh báo: Pin dưới 20 % \(1 thiết bị\)[\s\S]*Quầy 1/)
    expect(to(emails[1]!)).toMatch(/Subject: 告警：Pin dưới 20 %（1 台设备）[\s\S]*电量低/)
    expect(to(emails[2]!)).toMatch(/Subject: Alert: Pin dưới 20 % \(1 devices\)[\s\S]*Battery low/)
    await set([device], { battery_level: 90 })
    await pass(1_000)
    await pass(1_000)
    wakeMails(deps)
    await expect.poll(() => received.length, { timeout: 10_000 }).toBe(6)
    expect(received.map((raw) => decoded(raw)).some((mail) => mail.includes('Subject: Resolved: Pin'))).toBe(true)
    deps.config.smtp = null
    await new Promise<void>((resolve) => server.close(() => resolve()))
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

/** Headers and body as people read them: encoded words, base64 and quoted-printable undone. */
function decoded(raw: string): string {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const unfolded = head.replace(/\r\n[ \t]+/g, ' ')
  const words = unfolded
    .replace(/\?= =\?/g, '?==?')
    .replace(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_whole, how: string, text: string) =>
      how.toUpperCase() === 'B' ? Buffer.from(text, 'base64').toString('utf8') : quoted(text.replaceAll('_', ' ')),
    )
  const body = rest.join('\r\n\r\n')
  if (/transfer-encoding: base64/i.test(head)) return `${words}\n${Buffer.from(body, 'base64').toString('utf8')}`
  return `${words}\n${/quoted-printable/i.test(head) ? quoted(body) : body}`
}
const quoted = (text: string): string =>
  Buffer.from(
    text
      .replace(/=\r\n/g, '')
      .replace(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')
