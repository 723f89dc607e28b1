import { alertLimits } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testActor } from '../../../testing/actor.ts'
import { alertsOf, draftOf, page } from '../../../testing/alerts.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { addAccount, addTerminal, addUser, databases, openDeps } from '../../../testing/devices.ts'
import { newKid } from '../../../lib/ids.ts'
import { startSmtp, subjectOf } from '../../../testing/smtp.ts'
import { startReceiver } from '../../../testing/webhook-receiver.ts'
import type { Receiver } from '../../../testing/webhook-receiver.ts'
import { add as addHook } from '../webhook/hooks.ts'
import { mails as mailWork } from '../../people/mail/index.ts'
import * as alerts from './index.ts'
import { wake } from '../../../lib/background.ts'

/** What goes on in the background: a mail, a delivery. */
const soon = {}

describe.each(databases)('what alerts tell on %s', (kind) => {
  let deps: TestDeps
  let receiver: Receiver
  beforeAll(async () => {
    ;[deps, receiver] = await Promise.all([openDeps(kind), startReceiver()])
    deps.config.webhook_allow = ['127.0.0.1']
  })
  afterAll(async () => {
    await receiver?.close()
    await deps?.close()
  })
  const { as, pass, of, set } = alertsOf(() => deps)
  /** A program that hears of the alerts of an account; what it has heard, oldest first. */
  const listen = async (account: string): Promise<() => ({ type: string } & Record<string, unknown>)[]> => {
    const draft = { name: 'Pager', url: receiver.url, events: ['alert.opened', 'alert.resolved'], is_enabled: true }
    await addHook(testActor(deps, account), draft as never, 'en')
    return () =>
      receiver.received
        .map(
          ({ body }) => JSON.parse(body) as { type: string; account: { kid: string }; detail: Record<string, unknown> },
        )
        .filter((message) => message.account.kid === account)
        .map(({ type, detail }) => ({ ...detail, type }))
  }

  it('of thousands of devices offline at once is one that opens and one that resolves', async () => {
    // The embedded database does the same with ten thousand, in several times as long.
    const many = kind === 'embedded' ? 2_000 : 10_000
    const account = await addAccount(deps)
    const who = await as(account)
    const heard = await listen(account)
    const smtp = await startSmtp()
    deps.config.smtp = smtp.settings
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
    // Each is told once: a program, and a person by mail.
    await expect.poll(heard, soon).toMatchObject([
      { type: 'alert.opened', alert_rule_kid: kid, count: many },
      { type: 'alert.resolved', alert_rule_kid: kid, count: many, resolved_by: null },
    ])
    await expect
      .poll(() => smtp.mails.map(subjectOf), soon)
      .toEqual([
        expect.stringMatching(kind === 'embedded' ? /^Alert: .* \(2,000 devices\)$/ : /^Alert: .* \(10,000 devices\)$/),
        expect.stringMatching(/^Resolved: /),
      ])
    deps.config.smtp = null
    await smtp.close()
    await sql`ANALYZE alert_terminal`.execute(deps.db)
  })

  it('tells programs that it is over however it ends, and what silence held back when that is over', async () => {
    const account = await addAccount(deps)
    const who = await as(account)
    const heard = await listen(account)
    const types = () => heard().map(({ type, resolved_by: by }) => (typeof by === 'string' ? `${type} by ${by}` : type))
    const device = await addTerminal(deps, account)
    const again = async () => {
      await set([device], { battery_level: 90 })
      await pass(1_000)
      await pass(1_000)
      await set([device], { battery_level: 5 })
      await pass(1_000)
    }
    const expected: string[] = []
    const next = async (...more: string[]) => {
      expected.push(...more)
      await expect.poll(types, soon).toEqual(expected)
    }
    const draft = draftOf({ name: 'Battery', calm_minutes: 0 })
    const { kid } = await alerts.insert(who, draft)
    await again()
    await next('alert.opened')
    await alerts.resolve(who, (await of(who))[0]!.kid)
    await next('alert.resolved by Ann')
    await again()
    await next('alert.opened')
    // Switched off, and on again.
    await alerts.update(who, { kid, ...draft, is_on: false })
    await next('alert.resolved by Ann')
    await alerts.update(who, { kid, ...draft, is_on: true })
    await pass(1_000)
    await next('alert.opened')
    // Its maker may make no rules any more, and gets the role back.
    const roles = await deps.db.deleteFrom('user_role').where('user_kid', '=', who.user.kid).returningAll().execute()
    await pass(1_000)
    await next('alert.resolved')
    await deps.db.insertInto('user_role').values(roles).execute()
    // It opens silently: told when the silence is over, if it is still so.
    await alerts.silence(who, { kid, hours: 1 })
    await again()
    expect(await alerts.listOpen(who)).toEqual({ open: 0, alerts: [] })
    expect((await of(who))[0]).toMatchObject({ state: 'open', is_silenced: true })
    expect(types()).toEqual(expected)
    await pass(3_600_000)
    await next('alert.opened')
    await pass(1_000)
    // A program waits for the end also while it is silent.
    await alerts.silence(who, { kid, hours: 1 })
    await alerts.remove(who, kid)
    await next('alert.resolved by Ann')
  })

  it('is told by mail in the language of whoever reads it', async () => {
    const smtp = await startSmtp()
    deps.config.smtp = smtp.settings
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
    await alerts.insert(await as(account), draftOf({ name: 'Pin dưới 20 %', emails, calm_minutes: 0 }))
    await pass(1_000)
    wake(deps, mailWork)
    await expect.poll(() => smtp.mails.length).toBe(3)
    const mails = [...smtp.mails]
    const to = (address: string) => mails.find((mail) => mail.includes(`To: ${address}`))!
    expect(to(emails[0]!)).toMatch(/Subject: Cảnh báo: Pin dưới 20 % \(1 thiết bị\)[\s\S]*Quầy 1/)
    expect(to(emails[1]!)).toMatch(/Subject: 告警：Pin dưới 20 %（1 台设备）[\s\S]*电量低/)
    expect(to(emails[2]!)).toMatch(/Subject: Alert: Pin dưới 20 % \(1 device\)[\s\S]*Battery low/)
    await set([device], { battery_level: 90 })
    await pass(1_000)
    await pass(1_000)
    wake(deps, mailWork)
    await expect.poll(() => smtp.mails.length).toBe(6)
    expect(smtp.mails.some((mail) => mail.includes('Subject: Resolved: Pin'))).toBe(true)
    deps.config.smtp = null
    await smtp.close()
  })

  it('names who has it, as it is when it is told, and nobody who can no longer sign in', async () => {
    const smtp = await startSmtp()
    deps.config.smtp = smtp.settings
    const account = await addAccount(deps)
    const heard = await listen(account)
    const who = await as(account)
    const person = await addUser(deps, account)
    const [first, second] = [await addTerminal(deps, account), await addTerminal(deps, account)]
    await alerts.insert(who, draftOf({ emails: ['boss@example.org'], calm_minutes: 0 }))
    const open = async () => {
      await set([first], { battery_level: 5 })
      await pass(1_000)
      const alert = (await of(who)).find(({ state }) => state === 'open')!
      await deps.db.updateTable('alert').set({ assignee_kid: person }).where('kid', '=', alert.kid).execute()
    }
    const end = async () => {
      await set([first, second], { battery_level: 90 })
      await pass(1_000)
      await pass(1_000)
    }
    await open()
    // It may be told again that it grows.
    await pass(3_600_000)
    await set([second], { battery_level: 5 })
    await pass(1_000)
    await end()
    await open()
    await deps.db.updateTable('user_account').set({ status: 'invalid' }).where('kid', '=', person).execute()
    await end()
    await expect
      .poll(() => heard().map(({ type, assignee_name: name }) => [type, name]), soon)
      .toEqual([
        ['alert.opened', null],
        ['alert.resolved', 'Someone'],
        ['alert.opened', null],
        ['alert.resolved', null],
      ])
    wake(deps, mailWork)
    const named = () =>
      smtp.mails.map((mail) => [subjectOf(mail)?.split(':')[0], mail.includes('\r\nAssignee: Someone\r\n')])
    await expect.poll(named, soon).toEqual([
      ['Alert', false],
      ['Alert grows', true],
      ['Resolved', true],
      ['Alert', false],
      ['Resolved', false],
    ])
    deps.config.smtp = null
    await smtp.close()
  })

  it('sends a customer and its sub-accounts together no more mails an hour than one may', async () => {
    const customer = await addAccount(deps)
    const subs = [await addAccount(deps, 100, customer), await addAccount(deps, 100, customer)]
    const neighbour = await addAccount(deps)
    const smtp = await startSmtp()
    deps.config.smtp = smtp.settings
    await sql`INSERT INTO mail (kid, kind, account_kid, address, subject, body, state, created_at)
      SELECT gen_random_uuid(), 'alert', a, 'x@example.com', '', '', 'sent', ${deps.clock.now()}
      FROM unnest(${[customer, subs[0]!]}::uuid[]) a, generate_series(1, ${alertLimits.mails_per_hour / 2 - 1}::integer)`.execute(
      deps.db,
    )
    const rules: { who: Awaited<ReturnType<typeof as>>; kid: string }[] = []
    for (const account of [...subs, neighbour]) {
      await set([await addTerminal(deps, account)], { battery_level: 5 })
      const emails = [`one.${kind}@example.com`, `two.${kind}@example.com`]
      rules.push({
        who: await as(account),
        ...(await alerts.insert(await as(account), draftOf({ emails, calm_minutes: 0 }))),
      })
    }
    await pass(1_000)
    const faults = async () =>
      Promise.all(
        rules.map(async ({ who, kid }) => {
          const { items } = await alerts.pagingRules(who, page)
          return items.find((each) => each.kid === kid)!.mail_fault
        }),
      )
    // Two are left, which the rule of one of the sub-accounts takes; the neighbour has all of its own.
    await expect.poll(async () => (await faults()).toSorted(), soon).toEqual(['limit', null, null])
    expect((await faults())[2]).toBe(null)
    await expect.poll(() => smtp.mails.length, soon).toBe(4)
    deps.config.smtp = null
    await smtp.close()
  })

  it('says of a rule why its mails do not arrive', async () => {
    const account = await addAccount(deps)
    const who = await as(account)
    const smtp = await startSmtp()
    const device = await addTerminal(deps, account)
    await set([device], { battery_level: 5 })
    const emails = ['gone@example.com', `here.${kind}@example.com`]
    const draft = draftOf({ name: 'Battery', emails, calm_minutes: 0 })
    const { kid } = await alerts.insert(who, draft)
    await pass(1_000)
    const fault = async () => {
      const { mail_fault, unreached } = (await alerts.pagingRules(who, page)).items.find((each) => each.kid === kid)!
      return [mail_fault, ...unreached]
    }
    expect([await alerts.checkMail(who), await fault()]).toEqual([{ is_on: false }, ['off']])
    // Nobody answers there.
    deps.config.smtp = { ...smtp.settings, url: 'smtp://127.0.0.1:1' }
    expect([await alerts.checkMail(who), await fault()]).toEqual([{ is_on: true }, [null]])
    const again = async () => {
      await set([device], { battery_level: 90 })
      await pass(1_000)
      await pass(1_000)
      await set([device], { battery_level: 5 })
      await pass(1_000)
      wake(deps, mailWork)
    }
    await again()
    await expect.poll(fault, soon).toEqual(['waiting', ...emails])
    // One address is refused for good.
    deps.config.smtp = smtp.settings
    deps.clock.jump(60_000)
    wake(deps, mailWork)
    await expect.poll(fault, soon).toEqual(['failed', 'gone@example.com'])
    expect(smtp.mails.every((mail) => mail.includes(`To: ${emails[1]}`))).toBe(true)
    // An address that is taken off is no fault any more; more mails than an hour allows are one.
    await alerts.update(who, { kid, ...draft, emails: emails.slice(1) })
    await expect.poll(fault, soon).toEqual([null])
    await sql`INSERT INTO mail (kid, kind, account_kid, address, subject, body, state, created_at)
      SELECT gen_random_uuid(), 'alert', ${account}::uuid, 'x@example.com', '', '', 'sent', ${deps.clock.now()}
      FROM generate_series(1, ${alertLimits.mails_per_hour}::integer)`.execute(deps.db)
    const before = smtp.mails.length
    await again()
    await expect.poll(fault, soon).toEqual(['limit'])
    expect(smtp.mails).toHaveLength(before)
    deps.config.smtp = null
    await smtp.close()
  })

  it('tells later what could not be told because the database went away meanwhile', async () => {
    const account = await addAccount(deps)
    const who = await as(account)
    const heard = await listen(account)
    const smtp = await startSmtp()
    deps.config.smtp = smtp.settings
    const device = await addTerminal(deps, account)
    await alerts.insert(who, draftOf({ name: 'Battery', calm_minutes: 0, emails: [`later.${kind}@example.com`] }))
    await pass(1_000)
    const expected: string[] = []
    const lookTwice = async (event: 'alert.opened' | 'alert.resolved') => {
      const broken = { ...deps, db: goneWhileTelling(), onInternalError: undefined }
      await alerts.judgeRules(broken, { is_settled: true }).catch(() => undefined)
      expect((await of(who))[0]).toMatchObject({ state: event === 'alert.opened' ? 'open' : 'resolved' })
      expect(heard().map(({ type }) => type)).toEqual(expected)
      expected.push(event)
      await pass(1_000)
      await expect.poll(() => heard().map(({ type }) => type), soon).toEqual(expected)
      await expect.poll(() => smtp.mails.length, soon).toBe(expected.length)
    }
    await set([device], { battery_level: 5 })
    await lookTwice('alert.opened')
    await set([device], { battery_level: 90 })
    deps.clock.jump(1_000)
    await lookTwice('alert.resolved')
    await pass(1_000)
    expect(heard()).toHaveLength(2)
    deps.config.smtp = null
    await smtp.close()
  })
  /** A database that answers nothing any more once something was noted as told, or is to be sent. */
  const goneWhileTelling = () => {
    let is_gone = false
    return deps.db.withPlugin({
      transformQuery({ node }) {
        const text = JSON.stringify(node)
        is_gone ||= node.kind === 'InsertQueryNode' && text.includes('"webhook_delivery"')
        if (is_gone) throw new Error('the database is gone')
        is_gone = node.kind === 'UpdateQueryNode' && text.includes('told_at"')
        return node
      },
      transformResult: ({ result }) => Promise.resolve(result),
    })
  }

  it('sends mails later that a mail server did not take because of our password', async () => {
    let known = 'new'
    const smtp = await startSmtp({ isKnown: (password) => password === known })
    deps.config.smtp = { ...smtp.settings, url: smtp.settings.url.replace('smtp://', 'smtp://mdm:old@') }
    const mail = await queueMail(await addAccount(deps))
    wake(deps, mailWork)
    await expect
      .poll(() => mailRow(mail), soon)
      .toMatchObject({ state: 'queued', attempts: 1, error: expect.stringContaining('535') as string, worked_by: null })
    known = 'old'
    deps.clock.jump(60_000)
    wake(deps, mailWork)
    await expect.poll(() => smtp.mails.length, soon).toBe(1)
    await expect.poll(() => mailRow(mail), soon).toMatchObject({ state: 'sent' })
    deps.config.smtp = null
    await smtp.close()
  })

  it('sends one customer a mail while another’s is not taken', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const smtp = await startSmtp({
      beforeData: (address) => (address.startsWith('slow') ? held : Promise.resolve()),
    })
    deps.config.smtp = smtp.settings
    const slow = await addAccount(deps)
    for (const name of ['slow.1', 'slow.2', 'slow.3']) await queueMail(slow, `${name}@example.com`)
    deps.clock.jump(1)
    await queueMail(await addAccount(deps), 'quick@example.com')
    wake(deps, mailWork)
    await expect.poll(() => smtp.mails.length, soon).toBe(1)
    expect(smtp.mails[0]).toContain('To: quick@example.com')
    release()
    await expect.poll(() => smtp.mails.length, soon).toBe(4)
    deps.config.smtp = null
    await smtp.close()
  })

  const queueMail = async (account_kid: string, address = 'ops@example.com') => {
    const [kid, now] = [newKid(), deps.clock.now()]
    const row = {
      kid,
      kind: 'alert' as const,
      account_kid,
      address,
      subject: 'Alert',
      body: 'Offline',
      next_at: now,
      created_at: now,
    }
    await deps.db.insertInto('mail').values(row).execute()
    return kid
  }
  const mailRow = (kid: string) =>
    deps.db.selectFrom('mail').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
})
