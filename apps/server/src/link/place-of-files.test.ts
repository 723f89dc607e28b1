import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { readConfig } from '../config.ts'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'
import { startNode } from './nodes.ts'
import { newMemory } from '../memory.ts'
import { testDeps } from '../testing/deps.ts'
import type { TestDeps } from '../testing/deps.ts'
import { postgres_missing } from '../testing/postgres.ts'
import { migratedPostgres } from '../testing/shared-postgres.ts'
import { placeOfFiles } from './place-of-files.ts'

const title = postgres_missing ? 'a second server (skipped: PostgreSQL is not installed)' : 'a second server'
describe.runIf(!postgres_missing)(title, () => {
  let deps: TestDeps
  let url: string
  let folders: [string, string]
  beforeAll(async () => {
    url = await migratedPostgres()
    deps = await testDeps({ url })
    folders = await Promise.all([mkdtemp(join(tmpdir(), 'mdm-place-')), mkdtemp(join(tmpdir(), 'mdm-place-'))])
  })
  beforeEach(async () => void (await deps.db.deleteFrom('node').execute()))
  afterAll(async () => {
    await deps.close()
    for (const folder of folders) await rm(folder, { recursive: true })
  })

  const serverOn = (data: string, more: Record<string, string> = {}): Deps => ({
    ...deps,
    node_kid: newKid(),
    memory: newMemory(),
    config: readConfig({ MDM_DATA: data, DATABASE_URL: url, ...more }, { env_file: join(data, 'none') }),
  })
  const bucket = {
    MDM_S3_URL: 'https://s3.example.com/files',
    MDM_S3_ACCESS_KEY_ID: 'id',
    MDM_S3_SECRET_ACCESS_KEY: 'key',
  }
  /** Starts one beside another that says all the time that it lives. */
  async function startedBeside(first: Deps, second: Deps): Promise<string> {
    const node = await startNode(first)
    const beats = setInterval(() => void node.beat(), 300)
    try {
      const other = await startNode(second)
      await other.close()
      return 'started'
    } catch (error) {
      return (error as Error).message
    } finally {
      clearInterval(beats)
      await node.close()
    }
  }

  it('is refused when it keeps files elsewhere, and told what to do', async () => {
    const [a, b] = folders
    expect(await startedBeside(serverOn(a), serverOn(b))).toMatch(/Files below MDM_DATA and two servers do not go/)
    expect(await startedBeside(serverOn(a), serverOn(a))).toContain('then set MDM_DATA_SHARED=true on all of them')
    expect(await startedBeside(serverOn(a, { MDM_DATA_SHARED: 'true' }), serverOn(b, bucket))).toMatch(
      /^Cannot start:\n.*MDM_S3_URL: /,
    )
    const left = await deps.db.selectFrom('node').select('kid').execute()
    expect(left).toEqual([])
  })

  it('starts where all see the same files', async () => {
    const [a, b] = folders
    const shared = { MDM_DATA_SHARED: 'true' }
    expect(await startedBeside(serverOn(a, shared), serverOn(a, shared))).toBe('started')
    expect(await startedBeside(serverOn(a, bucket), serverOn(b, bucket))).toBe('started')
  })

  it('starts after one that was killed, once that has been silent for longer than it ever is', async () => {
    const [a, b] = folders
    await startNode({ ...serverOn(a), clock: { ...deps.clock, every: () => () => {} } })
    const began = performance.now()
    const node = await startNode(serverOn(b))
    expect(performance.now() - began).toBeGreaterThan(3_000)
    await node.close()
  })

  it('notices that its clock and the database’s are apart', async () => {
    const server = serverOn(folders[0])
    const ahead = async (ms: number) => {
      const now = () => new Date(Date.now() + ms)
      const node = await startNode({ ...server, node_kid: newKid(), clock: { ...deps.clock, now } })
      await node.beat()
      await node.beat()
      const row = await sql<{ clock_apart_ms: number }>`SELECT clock_apart_ms FROM node`.execute(deps.db)
      await node.close()
      return row.rows[0]!.clock_apart_ms
    }
    expect(Math.abs((await ahead(60_000)) - 60_000)).toBeLessThan(2_000)
    expect(Math.abs(await ahead(0))).toBeLessThan(2_000)
  })

  it('has no place to name on the embedded database', async () => {
    expect(await placeOfFiles({ s3: undefined, data: folders[0] } as Config)).toBeNull()
  })
})
