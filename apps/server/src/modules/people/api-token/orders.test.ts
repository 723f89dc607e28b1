import { constants, contract, ltscopes } from '@mdm/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { forgetSessions } from '../../../http/session-cache.ts'
import { watchClock } from '../../../lib/clock-watch.ts'
import { newKid } from '../../../lib/ids.ts'
import { addApp } from '../../../testing/apps.ts'
import { testApi } from '../../../testing/calls.ts'
import type { As, TestApi } from '../../../testing/calls.ts'
import { addTerminal } from '../../../testing/devices.ts'
import { confirm } from '../../../testing/sign-in.ts'
import { alertActions, judgeRules } from '../../watch/alert/index.ts'
import { requiredApps } from '../../catalogue/app-requirement/index.ts'
import { fenceActions } from '../../configuration/electronic-fence/index.ts'
import { runSchedules } from '../../push/push-schedule/index.ts'
import { takeLater, wakePushes } from '../../push/push-task/index.ts'
import { scraps } from '../../devices/terminal/scrap/scrap-work.ts'
import { wake } from '../../../lib/background.ts'

const api = contract.apiToken.calls
const pushTask = contract.pushTask.calls
const pushSchedule = contract.pushSchedule.calls
const appRequirement = contract.appRequirement.calls
const alertRule = contract.alertRule.calls
const fence = contract.electronicFence.calls
const hour_ms = 3_600_000
const message = { type: 'message', payload: { title: 'Daily', text: 'Clean the scanner.' } }
const made = 'made'

let o: TestApi
let ann: Awaited<ReturnType<TestApi['person']>>
let devices: string[]
beforeAll(async () => {
  o = await testApi()
  Object.assign(o.deps, { signFile: (object: string) => `/files/${object}` })
  ann = await o.person(3, o.acme.kid, 'ann', ['*'])
})
beforeEach(async () => {
  const { db } = o.deps
  for (const table of ['push_schedule', 'push_task', 'app_requirement', 'alert_rule', 'electronic_fence'] as const)
    await db.deleteFrom(table).execute()
  await db.deleteFrom('terminal_config').execute()
  await db.deleteFrom('terminal').execute()
  await db.deleteFrom('api_token').execute()
  devices = await Promise.all(
    Array.from({ length: constants.password_from_devices }, () => addTerminal(o.deps, o.acme.kid)),
  )
  await later(2 * hour_ms)
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})

/** Nobody signs in again meanwhile. */
async function later(ms: number): Promise<void> {
  o.deps.clock.jump(ms)
  const now = o.deps.clock.now()
  const expires_at = new Date(now.getTime() + 24 * hour_ms)
  await o.deps.db.updateTable('session').set({ last_use_at: now, confirmed_at: now, expires_at }).execute()
  forgetSessions(o.deps)
}

async function token(owner: As = ann): Promise<As & { kid: string }> {
  await confirm(o, owner)
  const input = { name: newKid(), permissions: ['*'], expires_in_days: 30, may_destroy: true }
  const { data } = await ask(api.insert, input, owner)
  return { token: data.token, kid: data.kid }
}

/** As `call`, of what has to succeed. */
const ask: TestApi['call'] = async (what, input, as) => {
  const reply = await o.call(what, input, as)
  expect(reply, what.path).toMatchObject({ result: 1 })
  return reply
}

/** What carries an order out, what came of it (undefined: nothing yet), and a save of it as it is, where there is one. */
type Order = {
  carryOut: () => Promise<unknown>
  outcome: () => Promise<unknown>
  save?: (as: As) => Promise<unknown>
}

const pushes = (type = 'message') =>
  o.deps.db
    .selectFrom('push_task')
    .selectAll()
    .where('type', '=', type as never)
    .execute()

const kinds = {
  async 'a recurring push'(as) {
    const draft = { name: 'Daily', cron: '0 * * * *', zone: 'UTC' }
    const { kid } = (await ask(pushSchedule.insert, { ...draft, to: { match: {} }, push: message } as never, as)).data
    const row = () => o.deps.db.selectFrom('push_schedule').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
    return {
      async carryOut() {
        await later(hour_ms)
        await runSchedules(o.deps)
      },
      outcome: async () => (await row()).last_error?.name ?? ((await row()).last_task_kid && made),
      save: (by) => ask(pushSchedule.update, { ...draft, kid } as never, by),
    }
  },
  async 'a planned push'(as) {
    const start_at = new Date(o.deps.clock.now().getTime() + hour_ms).toISOString()
    await ask(pushTask.insert, { ...message, match: {}, conditions: { start_at } } as never, as)
    return {
      async carryOut() {
        await later(hour_ms)
        wakePushes(o.deps)
      },
      async outcome() {
        const [{ phase, remark }] = (await pushes()) as [Awaited<ReturnType<typeof pushes>>[number]]
        return phase === 'canceled' ? remark : phase === 'running' ? made : undefined
      },
    }
  },
  async 'a rollout that takes in later devices'(as) {
    const deadline_at = new Date(o.deps.clock.now().getTime() + 24 * hour_ms).toISOString()
    const rollout = { steps: [{ percent: 100 }], takes_later: true }
    await ask(pushTask.insert, { ...message, match: {}, rollout, conditions: { deadline_at } } as never, as)
    wakePushes(o.deps)
    await expect.poll(async () => (await pushes())[0]!.phase).toBe('running')
    let taken: number | undefined
    return {
      async carryOut() {
        await addTerminal(o.deps, o.acme.kid)
        taken = await takeLater(o.deps)
      },
      outcome: async () => (taken === 0 ? 'none taken' : taken && made),
    }
  },
  async 'a retry that waits'(as) {
    const input = { type: 'shutdown', payload: {}, terminal_kids: devices }
    const { kid } = (await ask(pushTask.insert, input as never, ann)).data
    await later(constants.scrap_delay_seconds * 1_000)
    wakePushes(o.deps)
    await expect.poll(async () => (await pushes('shutdown'))[0]!.phase).toBe('running')
    await sql`UPDATE push_task_terminal SET state = 'failed', deadline_at = NULL WHERE push_task_kid = ${kid}`.execute(
      o.deps.db,
    )
    await sql`UPDATE push_task SET wait_receipt = 0, failed = total, phase = 'ended' WHERE kid = ${kid}`.execute(
      o.deps.db,
    )
    await ask(pushTask.retry, { push_task_kid: kid }, as)
    return {
      async carryOut() {
        await later(constants.scrap_delay_seconds * 1_000)
        wakePushes(o.deps)
      },
      async outcome() {
        const [task] = await pushes('shutdown')
        if (task!.retry) return undefined
        return task!.wait_receipt === devices.length ? made : 'dropped'
      },
    }
  },
  async 'scrapping many devices'(as) {
    const input = { terminalKids: devices, confirm: 'DELETE' }
    const { schedule_version } = (await ask(contract.terminal.calls.batch_scrap, input, as)).data
    return {
      async carryOut() {
        await later(constants.scrap_delay_seconds * 1_000)
        wake(o.deps, scraps)
      },
      async outcome() {
        const { state } = await o.deps.db
          .selectFrom('scrap_schedule')
          .select('state')
          .where('kid', '=', schedule_version)
          .executeTakeFirstOrThrow()
        return state === 'done' ? made : state === 'waiting' ? undefined : state
      },
    }
  },
  async 'a required app'(as) {
    const app = { package: `com.acme.x${newKid().replaceAll('-', '')}`, version_name: '1', version_code: 1 }
    const app_kid = await addApp(o.deps, { account_kid: o.acme.kid, ...app })
    const { kid } = (await ask(appRequirement.insert, { app_kid, is_on: false } as never, as)).data
    const row = () =>
      o.deps.db.selectFrom('app_requirement').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
    return {
      async carryOut() {
        await o.deps.db
          .updateTable('app_requirement')
          .set({ is_on: true, last_error: null, next_at: o.deps.clock.now() })
          .where('kid', '=', kid)
          .execute()
        wake(o.deps, requiredApps)
      },
      outcome: async () => (await row()).last_error?.name ?? ((await row()).last_task_kid && made),
      save: (by) => ask(appRequirement.update, { kid, is_on: false } as never, by),
    }
  },
  async 'the action of an alert rule'(as) {
    const { kid, save } = await newRule(as)
    return {
      async carryOut() {
        await o.deps.db
          .insertInto('alert_action')
          .values({ rule_kid: kid, terminal_kid: devices[0]!, account_kid: o.acme.kid, at: o.deps.clock.now() })
          .execute()
        wake(o.deps, alertActions)
      },
      outcome: async () => (await ruleOf(kid)).last_error ?? ((await pushes()).length > 0 ? made : undefined),
      save,
    }
  },
  async 'what an alert rule watches'(as) {
    const { kid, save } = await newRule(as)
    return {
      carryOut: () => judgeRules(o.deps, { is_settled: true }),
      async outcome() {
        const { items } = (await ask(alertRule.paging, { page: 1, page_size: 9 } as never, ann)).data
        return items.find((rule) => rule.kid === kid)!.is_paused ? 'paused' : made
      },
      save,
    }
  },
  'an electronic fence': (as) => newFence({ maker: as, placer: ann }),
  'a place where an electronic fence is set': (as) => newFence({ maker: ann, placer: as }),
} satisfies Record<string, (as: As) => Promise<Order>>

const ruleOf = (kid: string) =>
  o.deps.db.selectFrom('alert_rule').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()

async function newRule(as: As) {
  const watch = { kind: 'battery', params: { percent: 20 } }
  const draft = { name: 'Empty', watch, action: { type: 'message', title: 'Charge', text: 'Charge it.' } }
  const { kid } = (await ask(alertRule.insert, draft as never, as)).data
  return { kid, save: (by: As) => ask(alertRule.update, { ...draft, kid } as never, by) }
}

async function newFence({ maker, placer }: { maker: As; placer: As }): Promise<Order> {
  const draft = { name: 'Depot', longitude: 105.8, latitude: 21, radius: 500, alarm_seconds: 10 }
  const { kid } = (await ask(fence.insert, draft as never, maker)).data
  const places = [{ ltscope: ltscopes.terminal, terminal_kid: devices[0]! }]
  const place = () => ask(fence.save_places, { fence_kid: kid, places } as never, placer)
  await place()
  await later(1_000)
  // Whoever has set it at a place last answers for it there.
  const save = (by: As) => ask(fence.update, { ...draft, kid } as never, by)
  if (placer === ann) await save(maker)
  const row = () =>
    o.deps.db.selectFrom('electronic_fence').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()
  return {
    async carryOut() {
      const left = { kid: newKid(), fence_kid: kid, terminal_kid: devices[0]!, account_kid: o.acme.kid }
      await o.deps.db
        .insertInto('fence_action')
        .values({ ...left, at: o.deps.clock.now() })
        .execute()
      wake(o.deps, fenceActions)
    },
    outcome: async () => (await row()).last_error?.name ?? ((await pushes('find')).length > 0 ? made : undefined),
    save,
  }
}

const refused: Record<keyof typeof kinds, string> = {
  'a recurring push': 'order_token_gone',
  'a planned push': 'token_gone',
  'a rollout that takes in later devices': 'none taken',
  'a retry that waits': 'dropped',
  'scrapping many devices': 'canceled',
  'a required app': 'order_token_gone',
  'the action of an alert rule': 'order_token_gone',
  'what an alert rule watches': 'paused',
  'an electronic fence': 'order_token_gone',
  'a place where an electronic fence is set': 'order_token_gone',
}

const tokens = () => o.deps.db.updateTable('api_token')
const ends = {
  'was revoked': (kid) => ask(api.delete, { kid }, ann),
  'has expired': (kid) => tokens().set({ expires_at: o.deps.clock.now() }).where('kid', '=', kid).execute(),
  'lacks the permission': (kid) =>
    tokens()
      .set({ permissions: ['homeIndex'] })
      .where('kid', '=', kid)
      .execute(),
} satisfies Record<string, (kid: string) => Promise<unknown>>

const kindNames = Object.keys(kinds) as (keyof typeof kinds)[]
const saved = kindNames.filter(
  (name) => !['planned', 'rollout', 'retry', 'scrapping'].some((word) => name.includes(word)),
)

describe.each(kindNames)('%s, ordered with an API token,', (name) => {
  it('is carried out while the token could still order it', async () => {
    const order = await kinds[name](await token())
    await order.carryOut()
    await expect.poll(order.outcome).toBe(made)
  })

  it.each(Object.entries(ends))('is not carried out once the token %s', async (_how, end) => {
    const as = await token()
    const order = await kinds[name](as)
    await end(as.kid)
    await order.carryOut()
    await expect.poll(order.outcome).toBe(refused[name])
  })
})

describe.each(saved)('%s', (name) => {
  it('is taken over by a session that saves it, and bound to a token that does', async () => {
    const [first, second] = [await token(), await token()]
    const order: Order = await kinds[name](first)
    await ends['was revoked'](first.kid)
    await order.carryOut()
    await expect.poll(order.outcome).toBe(refused[name])
    await later(1_000)
    await order.save!(ann)
    await order.carryOut()
    await expect.poll(order.outcome).toBe(made)
    await later(1_000)
    await order.save!(second)
    await ends['was revoked'](second.kid)
    await order.carryOut()
    await expect.poll(order.outcome).toBe(refused[name])
  })
})

it('A recurring push that another person edits stays bound to the token of its creator', async () => {
  const bob = await o.person(3, o.acme.kid, 'bob', ['*'])
  const as = await token()
  const order = await kinds['a recurring push'](as)
  await order.save!(bob)
  await ends['was revoked'](as.kid)
  await order.carryOut()
  await expect.poll(order.outcome).toBe('order_token_gone')
})

it('A recurring push of an operator’s token within a customer ends when the token may not enter customers any more', async () => {
  const as = { ...(await token(o.operator)), account_kid: o.acme.kid }
  const order = await kinds['a recurring push'](as)
  await order.carryOut()
  await expect.poll(order.outcome).toBe(made)
  const permissions = ['pushTask*', 'deviceDetail*']
  await tokens().set({ permissions }).where('kid', '=', as.kid).execute()
  await order.carryOut()
  await expect.poll(order.outcome).toBe('order_token_gone')
})

it('A rule goes on watching while a clock in doubt says that its token has expired', async () => {
  const as = await token()
  const order = await kinds['what an alert rule watches'](as)
  const watching = await watchClock(o.deps, async () => {})
  await later(2 * hour_ms)
  await ends['has expired'](as.kid)
  await order.carryOut()
  expect(await order.outcome()).toBe(made)
  await watching.close()
  await order.carryOut()
  expect(await order.outcome()).toBe('paused')
})
