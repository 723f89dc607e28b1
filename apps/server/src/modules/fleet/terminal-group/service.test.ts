import { contract } from '@mdm/contract'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { testActor } from '../../../testing/actor.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import {
  addAccount,
  addTerminal,
  addUser,
  lockingDatabases,
  miscounted,
  openDeps,
  refusalOf,
} from '../../../testing/devices.ts'
import * as groups from './index.ts'

describe.each(lockingDatabases)('device groups on %s', (kind) => {
  let deps: TestDeps
  beforeAll(async () => {
    deps = await openDeps(kind)
  })
  afterAll(() => deps?.close())

  const as = (account_kid: string, visible_groups?: string[]) => testActor(deps, account_kid, visible_groups)
  const add = async (account_kid: string, name: string, parent_kid = 'ROOT') =>
    (await groups.insert(as(account_kid), { name, parent_kid })).kid
  const listed = (
    account_kid: string,
    input: Partial<Parameters<typeof groups.list>[1]> = {},
    visible_groups?: string[],
  ) => groups.list(as(account_kid, visible_groups), { parent_kid: 'ALL', ...input })
  /** root > (a > (b > c), d) */
  async function tree() {
    const account = await addAccount(deps)
    const a = await add(account, 'a')
    const b = await add(account, 'b', a)
    const c = await add(account, 'c', b)
    const d = await add(account, 'd')
    return { account, a, b, c, d }
  }

  it('lists parents before children with counts of the whole branch', async () => {
    const { account, a, b, c, d } = await tree()
    for (const terminal_group_kid of [a, c, c, d, null]) await addTerminal(deps, account, { terminal_group_kid })
    const all = await listed(account, { is_no_group: true })
    expect(
      all.map(({ kid, parent_kid, has_child, terminal_count, total_count }) => ({
        kid,
        parent_kid,
        has_child,
        terminal_count,
        total_count,
      })),
    ).toEqual([
      { kid: 'NO_GROUP', parent_kid: null, has_child: false, terminal_count: 1, total_count: 1 },
      { kid: a, parent_kid: null, has_child: true, terminal_count: 1, total_count: 3 },
      { kid: b, parent_kid: a, has_child: true, terminal_count: 0, total_count: 2 },
      { kid: c, parent_kid: b, has_child: false, terminal_count: 2, total_count: 2 },
      { kid: d, parent_kid: null, has_child: false, terminal_count: 1, total_count: 1 },
    ])
    expect((await listed(account, { parent_kid: 'ROOT' })).map((g) => g.kid)).toEqual([a, d])
    expect((await listed(account, { parent_kid: 'ROOT', is_child: true })).map((g) => g.kid)).toEqual([a, b, c, d])
    expect((await listed(account, { parent_kid: a })).map((g) => g.kid)).toEqual([b])
    expect((await listed(account, { parent_kid: a, is_child: true })).map((g) => g.kid)).toEqual([b, c])
    expect(contract.terminalGroup.calls.list.output.parse(all)).toEqual(all)
    const nodes = await groups.listWithChild(as(account), 'ROOT')
    expect(contract.terminalGroup.calls.list_with_child.output.parse(nodes)).toEqual(nodes)
    expect(nodes.map((n) => [n.kid, n.children.map((m) => [m.kid, m.children.map((o) => o.kid)])])).toEqual([
      [a, [[b, [c]]]],
      [d, []],
    ])
  })

  it('keeps names unique among siblings, whatever their case', async () => {
    const { account, a, d } = await tree()
    expect(await refusalOf(add(account, 'A'))).toBe('group_name_taken')
    expect(await refusalOf(add(account, 'B', a))).toBe('group_name_taken')
    await add(account, 'B', d)
    expect(await refusalOf(groups.update(as(account), { kid: d, name: 'A' }))).toBe('group_name_taken')
    expect((await groups.update(as(account), { kid: d, name: 'D' })).name).toBe('D')
    const exists = (input: Partial<Parameters<typeof groups.exists>[1]>) =>
      groups.exists(as(account), { name: 'D', parent_kid: 'ROOT', ...input })
    expect(await exists({})).toBe(true)
    expect(await exists({ name: 'd' })).toBe(true)
    expect(await exists({ src_kid: d })).toBe(false)
    expect(await exists({ parent_kid: a })).toBe(false)
    // Without a parent, the siblings of the group that is renamed decide.
    const b = await add(account, 'E', a)
    const renamed = (name: string, src_kid: string) => groups.exists(as(account), { name, src_kid })
    expect(await renamed('B', b)).toBe(true)
    expect(await renamed('E', b)).toBe(false)
    expect(await renamed('D', b)).toBe(false)
    expect(await renamed('D', a)).toBe(true)
    expect(await refusalOf(renamed('D', newKid()))).toBe('not_found')
    const other = await addAccount(deps)
    expect(await groups.exists(as(other), { name: 'D', parent_kid: 'ROOT' })).toBe(false)
  })

  it('nests ten levels and no more, when a group is made and when a branch is moved', async () => {
    const account = await addAccount(deps)
    let parent = 'ROOT'
    for (let level = 1; level <= 10; level += 1) parent = await add(account, `level ${level}`, parent)
    expect(await refusalOf(add(account, 'level 11', parent))).toBe('group_too_deep')
    const top = await add(account, 'top')
    await add(account, 'below', top)
    const nine = (await groups.get(as(account), parent)).parent_kid!
    expect(await refusalOf(groups.move(as(account), { kid: top, target_parent_kid: nine }))).toBe('group_too_deep')
    const eight = (await groups.get(as(account), nine)).parent_kid!
    expect((await groups.move(as(account), { kid: top, target_parent_kid: eight })).parent_kid).toBe(eight)
    expect(await refusalOf(add(account, 'one more', parent))).toBe('group_too_deep')
    const depth = await deps.db
      .selectFrom('terminal_group')
      .select('depth')
      .where('name', '=', 'below')
      .where('account_kid', '=', account)
      .executeTakeFirstOrThrow()
    expect(depth.depth).toBe(10)
  })

  it('never moves a group below itself, also when two moves meet', async () => {
    const { account, a, b, c, d } = await tree()
    for (const target_parent_kid of [a, b, c])
      expect(await refusalOf(groups.move(as(account), { kid: a, target_parent_kid }))).toBe('group_into_itself')
    for (let round = 0; round < 5; round += 1) {
      const results = await Promise.all([
        refusalOf(groups.move(as(account), { kid: a, target_parent_kid: d })),
        refusalOf(groups.move(as(account), { kid: d, target_parent_kid: a })),
      ])
      expect(results.filter((r) => r === 'group_into_itself')).toHaveLength(1)
      await groups.move(as(account), { kid: results[0] === 'group_into_itself' ? d : a, target_parent_kid: 'ROOT' })
    }
    expect(await refusalOf(groups.move(as(account), { kid: a, target_parent_kid: newKid() }))).toBe('group_unknown')
  })

  it('gives devices, codes and children of a deleted group to its parent', async () => {
    const { account, a, b, c } = await tree()
    await add(account, 'b', b)
    const terminal = await addTerminal(deps, account, { terminal_group_kid: b })
    const qrcode = {
      kid: newKid(),
      account_kid: account,
      token_hash: Buffer.from(newKid()),
      terminal_group_kid: b,
      created_by_kid: newKid(),
      expires_at: deps.clock.now(),
    }
    await deps.db.insertInto('qrcode').values(qrcode).execute()
    await groups.remove(as(account), b)
    expect((await listed(account, { parent_kid: a, is_child: true })).map((g) => [g.name, g.parent_kid])).toEqual([
      ['b', a],
      ['c', a],
    ])
    const groupOf = (table: 'terminal' | 'qrcode', kid: string) =>
      deps.db.selectFrom(table).select('terminal_group_kid').where('kid', '=', kid).executeTakeFirst()
    expect(await groupOf('terminal', terminal)).toEqual({ terminal_group_kid: a })
    expect(await groupOf('qrcode', qrcode.kid)).toEqual({ terminal_group_kid: a })
    await groups.remove(as(account), a)
    expect(await groupOf('terminal', terminal)).toEqual({ terminal_group_kid: null })
    expect((await groups.get(as(account), c)).parent_kid).toBe(null)
    expect(await miscounted(deps)).toEqual([])
  })

  it('changes nothing when a child of a deleted group finds its name taken', async () => {
    const { account, a, b } = await tree()
    await add(account, 'B')
    const terminal_group_kid = a
    await addTerminal(deps, account, { terminal_group_kid })
    const before = await listed(account, { is_no_group: true })
    expect(await refusalOf(groups.remove(as(account), a))).toBe('group_name_taken')
    expect(await listed(account, { is_no_group: true })).toEqual(before)
    expect(before.find((g) => g.kid === b)?.parent_kid).toBe(a)
  })

  it("does not find another account's groups", async () => {
    const { a } = await tree()
    const account = await addAccount(deps)
    const mine = await add(account, 'mine')
    expect(await listed(account)).toHaveLength(1)
    expect(await refusalOf(groups.get(as(account), a))).toBe('not_found')
    expect(await refusalOf(listed(account, { parent_kid: a }))).toBe('not_found')
    expect(await refusalOf(groups.listWithChild(as(account), a))).toBe('not_found')
    expect(await refusalOf(add(account, 'x', a))).toBe('group_unknown')
    expect(await refusalOf(groups.update(as(account), { kid: a, name: 'x' }))).toBe('not_found')
    expect(await refusalOf(groups.move(as(account), { kid: a, target_parent_kid: mine }))).toBe('not_found')
    expect(await refusalOf(groups.move(as(account), { kid: mine, target_parent_kid: a }))).toBe('group_unknown')
    expect(await refusalOf(groups.remove(as(account), a))).toBe('not_found')
    expect(await groups.subtree(deps.scope(account), a)).toEqual([])
    expect(await refusalOf(groups.target(deps.db, account, undefined, a))).toBe('group_unknown')
  })

  it('shows a limited user its own groups only, as roots, and lets it change nothing above them', async () => {
    const { account, a, b, c, d } = await tree()
    for (const terminal_group_kid of [a, b, c, null]) await addTerminal(deps, account, { terminal_group_kid })
    const visible_groups = [b, c]
    expect(
      (await listed(account, { is_no_group: true }, visible_groups)).map((g) => [g.kid, g.parent_kid, g.total_count]),
    ).toEqual([
      [b, null, 2],
      [c, b, 1],
    ])
    expect((await listed(account, { parent_kid: 'ROOT' }, visible_groups)).map((g) => g.kid)).toEqual([b])
    expect(await refusalOf(groups.get(as(account, visible_groups), a))).toBe('not_found')
    const insert = (parent_kid: string) =>
      refusalOf(groups.insert(as(account, visible_groups), { name: 'new', parent_kid }))
    expect(await insert('ROOT')).toBe('no_permission')
    expect(await insert(a)).toBe('group_unknown')
    expect(await insert(c)).toMatchObject({ not_refused: { parent_kid: c } })
    const move = (kid: string, target_parent_kid: string) =>
      refusalOf(groups.move(as(account, visible_groups), { kid, target_parent_kid }))
    expect(await move(c, 'ROOT')).toBe('no_permission')
    expect(await move(c, d)).toBe('group_unknown')
    expect(await move(d, b)).toBe('not_found')
    expect(await refusalOf(groups.remove(as(account, visible_groups), b))).toBe('no_permission')
    expect(await refusalOf(groups.remove(as(account, visible_groups), c))).toMatchObject({ not_refused: { kid: c } })
    expect(await refusalOf(groups.target(deps.db, account, visible_groups, 'NO_GROUP'))).toBe('group_unknown')
    expect(await refusalOf(groups.target(deps.db, account, visible_groups, a))).toBe('group_unknown')
    expect(await groups.target(deps.db, account, visible_groups, b)).toBe(b)
  })

  it('never frees a limited user by deleting the last group it manages', async () => {
    const { account, b, c, d } = await tree()
    const user = await addUser(deps, account, [b])
    const lonely = await addUser(deps, account, [d])
    expect(await refusalOf(groups.remove(as(account), d))).toBe('delete_failed')
    expect((await groups.get(as(account), d)).kid).toBe(d)
    await groups.remove(as(account), b)
    expect(await groups.managedBy(as(account), user)).toEqual([c])
    expect(await groups.managedBy(as(account), lonely)).toEqual([d])
  })

  it('stays a tree with true counts under any sequence of changes', async () => {
    const at = fc.nat(6)
    const step = fc.oneof(
      fc.record({ do: fc.constant('insert' as const), at, name: fc.constantFrom('x', 'Y', 'z') }),
      fc.record({ do: fc.constant('move' as const), at, to: at }),
      fc.record({ do: fc.constant('remove' as const), at }),
      fc.record({ do: fc.constant('device' as const), at }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const account = await addAccount(deps)
        const model = new Map<string, { name: string; parent: string }>()
        let devices = 0
        for (const each of steps) {
          const kids = [...model.keys()]
          const pick = (n: number) => (n < kids.length ? kids[n]! : 'ROOT')
          const kid = pick(each.at)
          if (each.do === 'insert') {
            const made = await refusalOf(add(account, each.name, kid))
            const clash = [...model.values()].some(
              (g) => g.parent === kid && g.name.toLowerCase() === each.name.toLowerCase(),
            )
            if (clash) expect(made).toBe('group_name_taken')
            else model.set((made as { not_refused: string }).not_refused, { name: each.name, parent: kid })
          } else if (kid === 'ROOT' || each.do === 'device') {
            await addTerminal(deps, account, { terminal_group_kid: kid === 'ROOT' ? null : kid })
            devices += 1
          } else if (each.do === 'move') {
            const to = pick(each.to)
            if (typeof (await refusalOf(groups.move(as(account), { kid, target_parent_kid: to }))) !== 'string')
              model.get(kid)!.parent = to
          } else if (typeof (await refusalOf(groups.remove(as(account), kid))) !== 'string') {
            const { parent } = model.get(kid)!
            model.delete(kid)
            for (const g of model.values()) if (g.parent === kid) g.parent = parent
          }
        }
        const all = await listed(account, { is_no_group: true })
        const found = all.filter((g) => !g.is_no_group)
        // Every group is reached from the root exactly once, so there is no cycle and nothing is lost.
        expect(new Map(found.map((g) => [g.kid, { name: g.name, parent: g.parent_kid ?? 'ROOT' }]))).toEqual(model)
        expect(all.filter((g) => g.parent_kid === null).reduce((n, g) => n + g.total_count, 0)).toBe(devices)
        const depths = await deps.db
          .selectFrom('terminal_group')
          .select(['kid', 'depth'])
          .where('account_kid', '=', account)
          .execute()
        const depthOf = (kid: string): number => (kid === 'ROOT' ? 0 : 1 + depthOf(model.get(kid)!.parent))
        for (const row of depths) expect(row.depth).toBe(depthOf(row.kid))
        expect(await miscounted(deps)).toEqual([])
      }),
      { numRuns: 25 },
    )
  })
})
