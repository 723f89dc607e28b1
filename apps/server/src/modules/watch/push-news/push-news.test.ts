import type { PushPhase } from '@mdm/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { backgroundAtRest, wake } from '../../../lib/background.ts'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { startSmtp, subjectOf } from '../../../testing/smtp.ts'
import { startReceiver } from '../../../testing/webhook-receiver.ts'
import type { Receiver } from '../../../testing/webhook-receiver.ts'
import { mails } from '../../people/mail/index.ts'
import { add as addHook } from '../webhook/hooks.ts'
import { webhookDeliveries } from '../webhook/index.ts'
import { pushNews } from './index.ts'

let o: TestApi
let receiver: Receiver
let smtp: Awaited<ReturnType<typeof startSmtp>>
beforeAll(async () => {
  ;[o, receiver, smtp] = await Promise.all([testApi(), startReceiver(), startSmtp()])
  o.deps.config.webhook_allow = ['127.0.0.1']
  const events = ['push.waiting', 'push.ended', 'push.failed']
  for (const kid of [o.acme.kid, o.globex.kid])
    await addHook(testActor(o.deps, kid), { name: kid, url: receiver.url, events, is_enabled: true } as never, 'en')
  await o.deps.clock.advance(1_000)
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await Promise.all([receiver?.close(), smtp?.close()])
  await o?.close()
})

const creator = newKid()
async function push(phase: PushPhase, more: object = {}): Promise<string> {
  const [kid, now] = [newKid(), o.deps.clock.now()]
  await o.deps.db
    .insertInto('push_task')
    .values({
      ...{ kid, account_kid: o.acme.kid, type: 'message', description: '', summary: 'Hello' },
      ...{ payload: JSON.stringify({ title: 'Hello\nthere', text: 'Hello' }) },
      ...{ created_by_kid: creator, created_by: 'Ann', created_by_token_kid: null, created_at: now },
      ...{ total: 3, wait_receipt: 0, target_count: 3, phase, phase_at: now, ...more },
    } as never)
    .execute()
  return kid
}
async function news() {
  while (await pushNews.run(o.deps));
  wake(o.deps, webhookDeliveries)
  wake(o.deps, mails)
  await backgroundAtRest(o.deps)
  return receiver.received.splice(0).map(({ body }) => {
    const { type, account, detail } = JSON.parse(body) as Record<string, any>
    return { ...detail, type, account: account.kid }
  })
}

it('tells programs of the account once that a push waits, that it is over, and that devices failed', async () => {
  const kid = await push('awaiting_approval')
  expect(await news()).toMatchObject([{ type: 'push.waiting', account: o.acme.kid, push_task_kid: kid, devices: 3 }])
  expect(await news()).toEqual([])
  const set = async (phase: PushPhase, more: object = {}) => {
    await o.deps.clock.advance(1_000)
    const phase_at = o.deps.clock.now()
    await o.deps.db
      .updateTable('push_task')
      .set({ phase, phase_at, ...more })
      .where('kid', '=', kid)
      .execute()
  }
  await set('running')
  expect(await news()).toEqual([])
  await set('ended', { completed: 1, failed: 2, gone: 1 })
  const ended = await news()
  expect(ended.map(({ type }) => type).toSorted()).toEqual(['push.ended', 'push.failed'])
  expect(ended[0]).toMatchObject({ completed: 1, failed: 2, deregistered: 1, phase: 'ended' })
  // Tried again, and over again: that is news, also when nobody looked in between.
  await set('running')
  await set('ended', { completed: 2, failed: 1, gone: 1 })
  expect(await news()).toMatchObject([{ type: 'push.ended', completed: 2 }])
  await push('canceled')
  expect(await news()).toMatchObject([{ type: 'push.ended', phase: 'canceled' }])
})

it('asks by mail who may approve it, in their language, and neither who made it nor other accounts', async () => {
  const person = async (account_kid: string, name: string, permissions: string[], language: 'en' | 'vi' = 'en') => {
    const { kid } = await o.person(3, account_kid, name, permissions)
    const email = `${name}@example.com`
    await o.deps.db.updateTable('user_account').set({ email, language }).where('kid', '=', kid).execute()
    return kid
  }
  await person(o.acme.kid, 'approver', ['pushTaskList*'], 'vi')
  await person(o.acme.kid, 'looker', ['pushTaskList'])
  await person(o.globex.kid, 'stranger', ['pushTaskList*'])
  const gone = await person(o.acme.kid, 'gone', ['pushTaskList*'])
  await o.deps.db.updateTable('user_account').set({ status: 'invalid' }).where('kid', '=', gone).execute()
  const maker = await person(o.acme.kid, 'maker', ['pushTaskList*'])
  o.deps.config.smtp = smtp.settings
  const kid = await push('awaiting_approval', { created_by_kid: maker })
  await news()
  o.deps.config.smtp = null
  expect(smtp.mails.map(subjectOf)).toEqual(['Cần phê duyệt: Gửi tin nhắn “Hello there” đến 3 thiết bị.'])
  expect(smtp.mails[0]).toContain('To: approver@example.com')
  expect(smtp.mails[0]!.replaceAll(/=\r?\n/g, '')).toContain(kid)
})
