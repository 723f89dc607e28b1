import { contract } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testActor } from '../../../testing/actor.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import * as groups from '../../fleet/terminal-group/index.ts'
import { listLowStorage, listQuarantined, onlineHistory, sampleOnline } from './overview.ts'
import { addAccount, addTerminal, databases, openDeps } from '../../../testing/devices.ts'

describe.each(databases)('what home shows of devices, on %s', (kind) => {
  let deps: TestDeps
  beforeAll(async () => {
    deps = await openDeps(kind)
  })
  afterAll(() => deps.close())
  const viewer = (account_kid: string, visible_groups?: readonly string[]) =>
    testActor(deps, account_kid, visible_groups)

  it('devices whose storage is nearly full come with the fullest first, of the own account and groups alone', async () => {
    const account = await addAccount(deps)
    const other = await addAccount(deps)
    const caller = testActor(deps, account)
    const { kid: group } = await groups.insert(caller, { name: 'G', parent_kid: 'ROOT' })
    const full = async (of: string, sn: string, used: number | null, more = {}) => {
      const kid = await addTerminal(deps, of, { sn, ...more })
      const run = used === null ? null : JSON.stringify({ storage_used: used, storage_total: 1_000 })
      await deps.db.updateTable('terminal_state').set({ run }).where('terminal_kid', '=', kid).execute()
      return kid
    }
    await full(account, 'LOW-91', 910)
    const in_group = await full(account, 'LOW-99', 990, { terminal_group_kid: group })
    await full(account, 'FINE', 890)
    await full(account, 'SILENT', null)
    await full(other, 'FOREIGN', 1_000)
    const rows = await listLowStorage(viewer(account))
    expect(contract.terminal.calls.list_low_storage.output.parse(rows)).toEqual(rows)
    expect(rows.map(({ sn, storage_percent }) => [sn, storage_percent])).toEqual([
      ['LOW-99', 99],
      ['LOW-91', 91],
    ])
    expect((await listLowStorage(viewer(account, [group]))).map(({ kid }) => kid)).toEqual([in_group])
  })

  it('devices whose secret was copied come until their quarantine is over, of the own account and groups alone', async () => {
    const account = await addAccount(deps)
    const other = await addAccount(deps)
    const { kid: group } = await groups.insert(viewer(account), { name: 'Q', parent_kid: 'ROOT' })
    const until = (minutes: number) => new Date(deps.clock.now().getTime() + minutes * 60_000)
    await addTerminal(deps, account, { sn: 'Q-30', quarantined_until: until(30) })
    const in_group = await addTerminal(deps, account, {
      sn: 'Q-60',
      quarantined_until: until(60),
      terminal_group_kid: group,
    })
    await addTerminal(deps, account, { sn: 'Q-OVER', quarantined_until: until(-1) })
    await addTerminal(deps, account, { sn: 'Q-NEVER' })
    await addTerminal(deps, other, { sn: 'Q-FOREIGN', quarantined_until: until(60) })
    const rows = await listQuarantined(viewer(account))
    expect(contract.terminal.calls.list_quarantined.output.parse(rows)).toHaveLength(2)
    expect(rows.map(({ sn }) => sn)).toEqual(['Q-60', 'Q-30'])
    expect((await listQuarantined(viewer(account, [group]))).map(({ kid }) => kid)).toEqual([in_group])
    await deps.clock.advance(31 * 60_000)
    expect((await listQuarantined(viewer(account))).map(({ sn }) => sn)).toEqual(['Q-60'])
  })

  it('how many were online is known for a day, for a user limited to groups as well', async () => {
    const account = await addAccount(deps)
    const caller = testActor(deps, account)
    const { kid: group } = await groups.insert(caller, { name: 'H', parent_kid: 'ROOT' })
    await addTerminal(deps, account, {}, { is_online: true })
    const kid = await addTerminal(deps, account, { terminal_group_kid: group }, { is_online: true })
    await addTerminal(deps, account)
    const online = async (visible_groups?: readonly string[]) =>
      (await onlineHistory(viewer(account, visible_groups))).points.map((point) => point.online)
    expect(await online()).toEqual([2])
    await sampleOnline(deps)
    await deps.clock.advance(300_000)
    await deps.db.updateTable('terminal_state').set({ is_online: false }).where('terminal_kid', '=', kid).execute()
    await sampleOnline(deps)
    await deps.clock.advance(300_000)
    expect(await online()).toEqual([2, 1, 1])
    expect(await online([group])).toEqual([1, 0, 0])
    expect((await onlineHistory(viewer(await addAccount(deps)))).points.map((point) => point.online)).toEqual([0])
    await deps.clock.advance(26 * 3_600_000)
    await sampleOnline(deps)
    expect(await online()).toEqual([1, 1])
    expect(
      await deps.db.selectFrom('online_sample').select('at').where('account_kid', '=', account).distinct().execute(),
    ).toHaveLength(1)
  })
})
