import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { addAccount, lockingDatabases, openDeps } from '../testing/devices.ts'
import type { TestDeps } from '../testing/deps.ts'
import { otherServer } from '../testing/other-server.ts'
import { ClaimLost, TryLater, withClaim } from './claim.ts'
import type { Claim } from './claim.ts'

const wanted = { states: ['running'], order: sql`r.created_at` }

describe.each(lockingDatabases)('a claim on %s', (kind) => {
  let deps: TestDeps
  beforeAll(async () => {
    deps = await openDeps(kind)
  })
  afterAll(() => deps?.close())
  beforeEach(async () => {
    await deps.db.deleteFrom('terminal_export').execute()
    await deps.db.deleteFrom('node').execute()
    const now = deps.clock.now()
    await deps.db.insertInto('node').values({ kid: deps.node_kid, started_at: now, seen_at: now }).execute()
  })

  /** Rows to work on, the first to be taken first; one of an account at a time may be open. */
  async function add(n: number): Promise<string[]> {
    const now = deps.clock.now().getTime()
    const kids = Array.from({ length: n }, newKid)
    for (const [at, kid] of kids.entries())
      await deps.db
        .insertInto('terminal_export')
        .values({
          kid,
          account_kid: await addAccount(deps),
          request: '{}',
          language: 'en',
          group_kids: null,
          created_by_kid: newKid(),
          created_by: 'x',
          created_at: new Date(now + at),
          expires_at: new Date(now + 86_400_000),
        })
        .execute()
    return kids
  }
  /** Takes one and holds it; `end` gives it back. */
  async function take(on: Deps) {
    let end = (_error?: Error) => {}
    let taken = (_claim: Claim<'terminal_export'> | undefined) => {}
    const claim = new Promise<Claim<'terminal_export'> | undefined>((resolve) => (taken = resolve))
    const over = withClaim(on, 'terminal_export', wanted, (of) => {
      taken(of)
      return new Promise<void>((resolve, reject) => (end = (error) => (error ? reject(error) : resolve())))
    })
    void over.then(() => taken(undefined)).catch(() => undefined)
    return { claim: await claim, over, end: (error?: Error) => end(error) }
  }
  const row = (kid: string) =>
    deps.db.selectFrom('terminal_export').selectAll().where('kid', '=', kid).executeTakeFirstOrThrow()

  it('is one server’s: of many that look, each row has one', async () => {
    const kids = await add(3)
    const other = await otherServer(deps)
    const taken = await Promise.all([deps, other, deps, other, deps].map(take))
    const rows = taken.flatMap(({ claim }) => claim?.row.kid ?? [])
    expect(rows.toSorted()).toEqual(kids.toSorted())
    for (const { end, over } of taken) {
      end()
      await over
    }
    expect((await row(kids[0]!)).worked_by).toBeNull()
  })

  it('ends with its server, and who was believed gone writes nothing any more', async () => {
    const [kid] = await add(1)
    const other = await otherServer(deps)
    const first = await take(other)
    expect((await take(deps)).claim).toBeUndefined()
    if (deps.database.kind === 'postgres') await other.goSilent()
    else await other.die()
    const second = await take(deps)
    expect(second.claim?.row.kid).toBe(kid)
    await expect(first.claim!.set({ done: 7 })).rejects.toThrow(ClaimLost)
    expect(first.claim!.signal.aborted).toBe(true)
    first.end()
    await first.over
    // What it gives back is not its own.
    expect(await row(kid!)).toMatchObject({ worked_by: deps.node_kid, done: 0 })
    await second.claim!.set({ done: 8 })
    second.end()
    expect(await second.over).toBe(true)
    expect(await row(kid!)).toMatchObject({ worked_by: null, done: 8 })
  })

  it('that somebody ends is noticed within seconds', async () => {
    const [kid] = await add(1)
    const { claim, end, over } = await take(deps)
    await deps.db.updateTable('terminal_export').set({ state: 'canceled' }).where('kid', '=', kid!).execute()
    await deps.clock.advance(5_000)
    await expect.poll(() => claim!.signal.aborted, { interval: 5 }).toBe(true)
    end(new Error('because of that'))
    expect(await over).toBe(true)
  })

  it('fails without holding up what comes after it', async () => {
    const [first, second] = await add(2)
    const broken = await take(deps)
    broken.end(new Error('no luck'))
    await expect(broken.over).rejects.toThrow('no luck')
    const next = await take(deps)
    expect([broken.claim!.row.kid, next.claim!.row.kid]).toEqual([first, second])
    next.end(new TryLater())
    expect(await next.over).toBe(true)
    expect((await take(deps)).claim).toBeUndefined()
    await deps.clock.advance(5_000)
    const again = await take(deps)
    expect(again.claim!.row.kid).toBe(first)
    again.end()
    await again.over
  })
})
