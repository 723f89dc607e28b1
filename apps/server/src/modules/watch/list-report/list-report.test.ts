import { contract, errors, pages, reportLimits } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { handlers } from '../../../handlers.ts'
import type { Ctx } from '../../../http/context.ts'
import { backgroundAtRest, wake } from '../../../lib/background.ts'
import { addTerminal } from '../../../testing/devices.ts'
import { testApi } from '../../../testing/calls.ts'
import type { As, TestApi } from '../../../testing/calls.ts'
import { startSmtp, subjectOf } from '../../../testing/smtp.ts'
import type { Smtp } from '../../../testing/smtp.ts'
import { mails } from '../../people/mail/index.ts'
import { listReports } from './index.ts'

const reports = contract.listReport.calls
const [hour, day] = [3_600_000, 86_400_000]
let o: TestApi
let smtp: Smtp
let ann: As & { kid: string }
beforeAll(async () => {
  ;[o, smtp] = await Promise.all([testApi(), startSmtp()])
  o.deps.config.smtp = smtp.settings
  ann = await person('ann', ['deviceList', 'operationLogList'])
  await addTerminal(o.deps, o.acme.kid, { sn: 'CE0117', name: 'Till, 1' })
  await addTerminal(o.deps, o.globex.kid, { sn: 'OTHERS' })
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await smtp?.close()
  await o?.close()
})
beforeEach(async () => {
  await backgroundAtRest(o.deps)
  await o.deps.db.deleteFrom('list_report').execute()
  await o.deps.db.deleteFrom('mail').execute()
  smtp.mails.length = 0
})

async function person(name: string, permissions: string[], email: string | null = `${name}@example.com`) {
  const as = await o.person(3, o.acme.kid, name, permissions)
  await o.deps.db.updateTable('user_account').set({ email }).where('kid', '=', as.kid).execute()
  return as
}
const draft = (changed: object = {}) => ({
  ...{ name: 'Shop devices', path: 'terminal/paging', input: {}, format: 'csv' as const },
  ...{ columns: [{ key: 'sn', title: 'Serial number' }] },
  ...{ every: 'day' as const, hour: 7, zone_id: 'Asia/Ho_Chi_Minh', page: 'deviceList', search: 'text=CE' },
  ...changed,
})
const make = async (as: As, changed: object = {}) =>
  (await o.call(reports.insert, draft(changed) as never, as)).data.kid
const own = async (as: As) => (await o.call(reports.list, {}, as)).data
/** Time passes, through which people stay signed in. */
async function pass(ms: number) {
  await o.deps.clock.advance(ms)
  const now = o.deps.clock.now()
  const expires_at = new Date(now.getTime() + day)
  await o.deps.db.updateTable('session').set({ last_use_at: now, expires_at }).execute()
}
/** What is due is made and mailed. */
async function sent(): Promise<string[]> {
  while (await listReports(handlers).run(o.deps));
  wake(o.deps, mails)
  await backgroundAtRest(o.deps)
  return smtp.mails.splice(0)
}

it('is mailed at its hour with what the list shows its person, and once whatever was missed', async () => {
  const kid = await make(ann)
  const [report] = await own(ann)
  expect(report).toMatchObject({ kid, state: 'on', last_outcome: null, is_new_only: false, weekday: 1, day: 1 })
  const due = new Date(report!.next_at!)
  expect(due.getUTCHours()).toBe(0)
  expect(await sent()).toEqual([])
  await pass(due.getTime() - o.deps.clock.now().getTime() + 3 * day + hour)
  const [mail, ...more] = await sent()
  expect(more).toEqual([])
  expect(subjectOf(mail!)).toBe('Report: Shop devices')
  expect(mail).toContain('To: ann@example.com')
  expect(mail).toMatch(/filename="?Shop devices \d{4}-\d\d-\d\d\.csv/)
  const file = /text\/csv[^]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)/.exec(mail!)![1]!
  expect(Buffer.from(file, 'base64').toString('utf8')).toBe('\uFEFFSerial number\r\nCE0117\r\n')
  const [after] = await own(ann)
  expect(after).toMatchObject({ last_outcome: 'mailed', last_rows: 1, last_error: null })
  expect(Date.parse(after!.next_at!) - o.deps.clock.now().getTime()).toBeLessThan(day)
  expect(await sent()).toEqual([])
  // Nothing of it stays once it is sent.
  const { rows } = await sql`SELECT FROM mail WHERE attachment IS NOT NULL`.execute(o.deps.db)
  expect(rows).toEqual([])
})

it('who lost the right, or may not sign in, gets nothing: the report is paused and says why', async () => {
  const bob = await person('bob', ['deviceList'])
  const kid = await make(bob)
  expect((await o.call(reports.send_now, { kid }, bob)).result).toBe(1)
  await o.deps.db
    .updateTable('role')
    .set({ permissions: ['homeIndex'] })
    .where('name', 'like', '%bob%')
    .execute()
  await sql`DELETE FROM user_role WHERE user_kid = ${bob.kid}`.execute(o.deps.db)
  expect(await sent()).toEqual([])
  expect(await own(bob)).toMatchObject([{ state: 'paused', next_at: null, last_outcome: 'failed' }])
  expect((await own(bob))[0]!.last_error).toBeTruthy()
  expect((await o.call(reports.send_now, { kid }, bob)).result).toBe(49324)
  const cid = await person('cid', ['deviceList'])
  await make(cid)
  await o.deps.db.updateTable('user_account').set({ status: 'invalid' }).where('kid', '=', cid.kid).execute()
  await pass(2 * day)
  expect(await sent()).toEqual([])
  const { state } = await o.deps.db
    .selectFrom('list_report')
    .select('state')
    .where('user_kid', '=', cid.kid)
    .executeTakeFirstOrThrow()
  expect(state).toBe('paused')
})

it('one that holds only what is new asks for the time since the report before', async () => {
  const asked: unknown[] = []
  const log = handlers.operationLog['paging']!
  const watched = {
    ...handlers,
    operationLog: {
      ...handlers.operationLog,
      paging: (input: unknown, ctx: Ctx) => (asked.push(input), log(input, ctx)),
    },
  }
  const input = { path: 'operation_log/paging', columns: [{ key: 'action_name', title: 'Action' }] }
  const kid = await make(ann, { ...input, new_by: { key: 'from', until: 'to' }, page: 'operationLogList' })
  expect((await own(ann))[0]).toMatchObject({ is_new_only: true })
  const send = async () => {
    await o.call(reports.send_now, { kid }, ann)
    while (await listReports(watched).run(o.deps));
    return o.deps.clock.now().toISOString()
  }
  const first = await send()
  await pass(hour)
  const second = await send()
  expect(asked).toMatchObject([{ to: first }, { from: first, to: second }])
})

it('a file that is too large is a link to the list', async () => {
  await sql`
    INSERT INTO terminal (kid, account_kid, sn, name, claim_hash, registered_at)
    SELECT gen_random_uuid(), ${o.acme.kid}, 'LARGE' || n, repeat('x', 60), '\\x01', ${o.deps.clock.now()}
    FROM generate_series(1, 400) n`.execute(o.deps.db)
  await sql`INSERT INTO terminal_state (terminal_kid, account_kid) SELECT kid, account_kid FROM terminal WHERE sn LIKE 'LARGE%'`.execute(
    o.deps.db,
  )
  const most = reportLimits.attachment_bytes
  try {
    ;(reportLimits as { attachment_bytes: number }).attachment_bytes = 10_000
    const kid = await make(ann, { columns: [{ key: 'name', title: 'x' }] })
    await o.call(reports.send_now, { kid }, ann)
    const [mail] = await sent()
    expect(mail).toContain(`${pages.deviceList.path}?text=CE`)
    expect(mail).not.toContain('filename')
    expect(await own(ann)).toMatchObject([{ last_outcome: 'linked', last_rows: null }])
  } finally {
    ;(reportLimits as { attachment_bytes: number }).attachment_bytes = most
  }
})

it('is a person’s own; without mail, an address, the right or room there is none', async () => {
  const kid = await make(ann)
  const dan = await person('dan', ['deviceList'], null)
  expect(await own(dan)).toEqual([])
  for (const call of [reports.delete, reports.send_now])
    expect((await o.call(call, { kid }, dan)).status, call.path).toBe(404)
  expect((await o.call(reports.update, { kid, state: 'paused' }, dan)).status).toBe(404)
  const refused = async (as: As, changed: object = {}) =>
    (await o.call(reports.insert, draft(changed) as never, as)).result
  expect(await refused(dan)).toBe(49322)
  expect(await refused(ann, { path: 'webhook/list', columns: [{ key: 'name', title: 'x' }] })).toBe(403)
  expect(await refused(ann, { path: 'terminal/get' })).toBeGreaterThan(40000)
  o.deps.config.smtp = null
  expect(await refused(ann)).toBe(49321)
  o.deps.config.smtp = smtp.settings
  for (let n = 1; n < reportLimits.reports; n++) await make(ann)
  expect(await refused(ann)).toBe(49323)
  expect((await o.call(reports.update, { kid, state: 'paused' }, ann)).result).toBe(1)
  expect((await own(ann)).find((each) => each.kid === kid)).toMatchObject({ state: 'paused', next_at: null })
  expect((await o.call(reports.update, { kid, state: 'on' }, ann)).result).toBe(1)
  expect((await own(ann)).find((each) => each.kid === kid)!.next_at).toBeTruthy()
  expect((await o.call(reports.delete, { kid }, ann)).result).toBe(1)
  expect(await own(ann)).toHaveLength(reportLimits.reports - 1)
})

it('comes at the times and as the file that it is changed to, and keeps its list', async () => {
  const kid = await make(ann)
  const [before] = await own(ann)
  const { name, zone_id, weekday, day: day_of_month } = before!
  const settings = {
    name,
    zone_id,
    weekday,
    day: day_of_month,
    format: 'xlsx' as const,
    every: 'week' as const,
    hour: 9,
  }
  await o.call(reports.update, { kid, settings: { ...settings, weekday: 5, name: 'Fridays' } }, ann)
  const [after] = await own(ann)
  expect(after).toMatchObject({ name: 'Fridays', format: 'xlsx', state: 'on', page: 'deviceList', search: 'text=CE' })
  const due = new Date(after!.next_at!)
  expect([due.getUTCDay(), due.getUTCHours()]).toEqual([5, 2])
  await pass(due.getTime() - o.deps.clock.now().getTime() + hour)
  expect((await sent())[0]).toMatch(/filename="?Fridays \d{4}-\d\d-\d\d\.xlsx/)

  // A paused one stays so, and another's is not there.
  await o.call(reports.update, { kid, state: 'paused' }, ann)
  await o.call(reports.update, { kid, settings }, ann)
  expect(await own(ann)).toMatchObject([{ name, hour: 9, state: 'paused', next_at: null }])
  const eve = await person('eve', ['deviceList'])
  expect((await o.call(reports.update, { kid, settings }, eve)).result).toBe(errors.not_found.result)
  const wrong = { kid, settings: { ...settings, hour: 24 } }
  expect((await o.call(reports.update, wrong, ann)).result).toBe(errors.bad_input.result)
})
