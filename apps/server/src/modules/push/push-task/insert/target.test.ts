import { contract, pushSentence } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testActor } from '../../../../testing/actor.ts'
import { fleet } from '../../../../testing/fleet.ts'
import type { Fleet } from '../../../../testing/fleet.ts'
import { pusher } from '../../../../testing/push-tasks.ts'
import * as groups from '../../../fleet/terminal-group/index.ts'
import { moveGroup } from '../../../devices/terminal/index.ts'
import * as tasks from '../index.ts'

const calls = contract.pushTask.calls
const message = { type: 'message', payload: { title: 'Hi', text: 'there' } }

describe('whom a push is for', () => {
  let f: Fleet
  let who: ReturnType<typeof pusher>
  let dock: string
  beforeAll(async () => {
    f = await fleet(6)
    who = pusher(f.deps, f.account_kid)
    const depot = await groups.insert(who, { name: 'Depot', parent_kid: 'ROOT' })
    dock = (await groups.insert(who, { name: 'Dock B', parent_kid: depot.kid })).kid
    await moveGroup(who, { terminal_kids: f.kids.slice(0, 2), terminal_group_kid: dock })
  })
  afterAll(() => f.close())
  const push = (to: object) => tasks.insert(who, calls.insert.input.parse({ ...message, ...to }))
  const found = async (filter: object) =>
    (await tasks.paging(who, { page: 1, page_size: 50, ...filter })).items.map(({ kid }) => kid)

  it('is said as it was meant, and found by a group of its devices', async () => {
    const of_group = await push({ terminal_group_kid: dock })
    expect(of_group.target).toEqual({ kind: 'group', names: ['Depot', 'Dock B'], named: 0, is_narrowed: false })
    const narrowed = await push({ match: { terminal_group_kid: dock, text: 'S' } })
    expect(narrowed.target).toMatchObject({ kind: 'group', names: ['Depot', 'Dock B'], is_narrowed: true })
    const where = { all: [{ field: 'terminal_group_kid', op: 'is_within', value: [dock] }] }
    const conditions = { where, names: { [dock]: 'Dock B' }, dates: [] }
    expect((await push({ match: { where } })).target).toMatchObject({ kind: 'match', conditions })
    // Conditions alone would say too little of what is narrowed by more.
    expect((await push({ match: { where, text: 'S' } })).target).not.toHaveProperty('conditions')
    const named = await push({ terminal_kids: f.kids.slice(2) })
    expect(named.target).toMatchObject({
      kind: 'named',
      named: 4,
      names: [expect.any(String), expect.any(String), expect.any(String)],
    })
    const all = await push({ match: {} })
    expect(all.target).toEqual({ kind: 'all', names: [], named: 0, is_narrowed: false })
    expect((await push({ match: { text: 'SN-' } })).target).toMatchObject({ kind: 'match', is_narrowed: true })
    expect((await push({ terminal_group_kid: 'NO_GROUP' })).target).toMatchObject({ kind: 'no_group' })

    expect(await found({ terminal_group_kid: dock })).toEqual(
      expect.arrayContaining([of_group.kid, narrowed.kid, all.kid]),
    )
    expect(await found({ terminal_group_kid: dock })).not.toContain(named.kid)
    // Somebody limited to another group learns neither names of groups nor of devices.
    const elsewhere = (await groups.insert(who, { name: 'Yard', parent_kid: 'ROOT' })).kid
    await moveGroup(who, { terminal_kids: [f.kids[5]!], terminal_group_kid: elsewhere })
    const limited = testActor(f.deps, f.account_kid, [elsewhere])
    expect((await tasks.get(limited, named.kid)).target).toBeNull()
    const seen = await tasks.paging(limited, { page: 1, page_size: 50, terminal_group_kid: dock })
    expect(seen.items).toEqual([])
  })

  it('is kept from the preview that the push takes over', async () => {
    const { kid: preview_kid } = await tasks.preview(
      who,
      calls.preview.input.parse({ ...message, terminal_group_kid: dock }),
    )
    expect((await push({ preview_kid })).target).toMatchObject({ kind: 'group', names: ['Depot', 'Dock B'] })
  })

  it('stands with the push as a sentence, of a list of SNs with the file that it came from', async () => {
    await f.deps.db.updateTable('terminal').set({ sn: 'TILL-1' }).where('kid', '=', f.kids[2]!).execute()
    const asked = { ...message, sns: ['TILL-1'], sns_file: 'tills.xlsx' }
    const previewed = await tasks.preview(who, calls.preview.input.parse(asked))
    expect(previewed).toMatchObject({ subject: { things: [{ name: 'Hi' }] }, target: { file: 'tills.xlsx' } })
    const made = await push({ preview_kid: previewed.kid, conditions: { window: { from: '22:00', to: '05:00' } } })
    expect(pushSentence(made, { language: 'en', zone: 'UTC' })).toBe(
      'Sends the message “Hi” to 1 device (from the file tills.xlsx), between 22:00 and 05:00 of each device’s own time.',
    )
  })
})
