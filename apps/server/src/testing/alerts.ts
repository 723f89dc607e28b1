import { contract } from '@mdm/contract'
import { backgroundAtRest } from '../lib/background.ts'
import { newKid } from '../lib/ids.ts'
import * as alerts from '../modules/watch/alert/index.ts'
import { insert as insertGroup } from '../modules/fleet/terminal-group/index.ts'
import { testActor } from './actor.ts'
import type { TestDeps } from './deps.ts'
import { addUser } from './devices.ts'

/** A rule about batteries, unless told otherwise. */
export const draftOf = (more: object) =>
  contract.alertRule.calls.insert.input.parse({
    name: newKid(),
    watch: { kind: 'battery', params: { percent: 20 } },
    ...more,
  })
export const page = { page: 1, page_size: 50 }

/** What tests of alerts do: people who make rules, what devices say, and time that passes between two looks. */
export function alertsOf(deps: () => TestDeps) {
  /** Somebody who may make rules there, limited to groups where any are given. */
  const as = async (account_kid: string, visible_groups?: string[]) => {
    const kid = await addUser(deps(), account_kid, visible_groups, ['alertRuleList:*'])
    return {
      ...testActor(deps(), account_kid, visible_groups),
      user: { kid, name: 'Ann' },
      may: () => true,
      request: { language: 'en' } as never,
    }
  }
  const judge = async () => {
    // Who changes a rule has it judged in the background.
    await backgroundAtRest(deps())
    await alerts.judgeRules(deps(), { is_settled: true })
  }
  const pass = async (ms: number) => {
    deps().clock.jump(ms)
    await judge()
  }
  const addGroup = async (account_kid: string) =>
    (await insertGroup(testActor(deps(), account_kid), { name: newKid(), parent_kid: 'ROOT' })).kid
  const of = async (viewer: Awaited<ReturnType<typeof as>>) => (await alerts.paging(viewer, page)).items
  const set = (kids: string[], state: object) =>
    deps().db.updateTable('terminal_state').set(state).where('terminal_kid', 'in', kids).execute()
  return { as, pass, addGroup, of, set }
}
