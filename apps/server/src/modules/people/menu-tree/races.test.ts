import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgres_missing } from '../../../testing/postgres.ts'
import { migratedPostgres } from '../../../testing/shared-postgres.ts'
import { testDeps } from '../../../testing/deps.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { insert, listAll, move, remove } from './edit.ts'

/** The embedded database is one session, in which statements wait for each other anyway. */
describe.skipIf(postgres_missing)(postgres_missing ? `left out: ${postgres_missing}` : 'on many connections', () => {
  let deps: TestDeps
  beforeAll(async () => {
    deps = await testDeps({ url: await migratedPostgres() })
  })
  afterAll(async () => {
    await deps?.close()
  })
  let made = 0
  const add = async (type: 'module' | 'group' | 'page', p_id: string) =>
    (
      await insert(deps, {
        p_id,
        type,
        code: `entry-${(made += 1)}`,
        name: { en: 'x', vi: 'x', 'zh-cn': 'x' },
        access_code: null,
        path: null,
        icon: null,
        visible: 1,
        end: 'web',
        end_type: 1,
        remind: '',
      })
    ).kid

  it('moves give every sibling a place of its own', async () => {
    const group = await add('group', 'ROOT')
    const pages: string[] = []
    for (let i = 0; i < 12; i += 1) pages.push(await add('page', 'ROOT'))
    await Promise.all(pages.map((kid) => move(deps, { kid, target_parent_kid: group, before_kid: null })))
    const rows = (await listAll(deps)).filter((row) => row.p_id === group)
    expect(rows.map((row) => row.sort)).toEqual(pages.map((_, i) => (i + 1) * 10))
  })

  it('nothing is lost below an entry that is deleted meanwhile', async () => {
    for (let i = 0; i < 8; i += 1) {
      const group = await add('group', 'ROOT')
      const page = await add('page', 'ROOT')
      const ends = await Promise.allSettled([
        move(deps, { kid: page, target_parent_kid: group, before_kid: null }),
        remove(deps, group),
      ])
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const refused = ends.find((end) => end.status === 'rejected') as PromiseRejectedResult
      expect(refused.reason).toMatchObject({ refusal: expect.stringMatching(/^menu_(has_children|parent_unknown)$/) })
    }
    expect(await listAll(deps)).toHaveLength((await deps.db.selectFrom('menu_tree').select('kid').execute()).length)
  })
})
