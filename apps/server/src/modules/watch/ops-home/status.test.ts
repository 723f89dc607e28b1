import { contract, errors, serverQueues } from '@mdm/contract'
import type { ServerStatus } from '@mdm/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newKid } from '../../../lib/ids.ts'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { otherServer } from '../../../testing/other-server.ts'
import { dialogueOf } from '../../../operate/dialogue.ts'

const { status } = contract.opsHome.calls
let o: TestApi
let is_up = true
beforeAll(async () => {
  o = await testApi()
  o.deps.objects = { isUp: async () => is_up } as typeof o.deps.objects
})
afterAll(async () => {
  expect(o.internal_errors).toEqual([])
  await o.close()
})
const read = async (): Promise<ServerStatus> => (await o.call(status, {}, o.operator)).data

it('names all servers, which of them answers, and which have fallen silent', async () => {
  const { deps } = o
  const now = deps.clock.now()
  await deps.db
    .insertInto('node')
    .values({ kid: deps.node_kid, started_at: now, seen_at: now, version: '9.9.9' })
    .onConflict((row) => row.column('kid').doUpdateSet({ version: '9.9.9' }))
    .execute()
  const other = await otherServer(deps)
  await other.goSilent()
  const { nodes } = await read()
  expect(nodes.find(({ is_this }) => is_this)).toMatchObject({ kid: deps.node_kid, version: '9.9.9', is_alive: true })
  expect(nodes.find(({ kid }) => kid === other.node_kid)).toMatchObject({
    version: null,
    is_alive: false,
    is_this: false,
  })
  await other.die()
})

it('says what waits and for how long, what failed, and what cannot be reached', async () => {
  const { deps } = o
  const before = await read()
  expect(before.queues.map(({ name, waiting, lag_s }) => [name, waiting, lag_s])).toEqual(
    serverQueues.map((name) => [name, 0, 0]),
  )
  expect(before).toMatchObject({
    database: { kind: 'embedded', connections: null, bytes: expect.any(Number), replica_is_used: null },
    storage: { kind: 'folder', used: expect.any(Number) },
    certificate: { kind: 'proxy', ends_at: null, error: null },
    parts: { database: true, objects: true },
    failed_jobs: [],
  })
  const at = deps.clock.now()
  await deps.db
    .insertInto('job')
    .values({ name: 'partitions', run_at: at, last_error: 'no room', last_finished_at: at })
    .onConflict((row) => row.column('name').doUpdateSet({ last_error: 'no room', last_finished_at: at }))
    .execute()
  const long_ago = new Date(at.getTime() - 90_000)
  await deps.db
    .insertInto('mail')
    .values({
      kid: newKid(),
      account_kid: o.acme.kid,
      kind: 'alert',
      address: 'it@acme.example',
      subject: 'x',
      body: 'x',
      state: 'queued',
      created_at: long_ago,
    })
    .execute()
  is_up = false
  await deps.clock.advance(2_000)
  const after = await read()
  expect(after.failed_jobs).toEqual([{ name: 'partitions', error: 'no room', at: at.toISOString() }])
  expect(after.queues.find(({ name }) => name === 'mail')).toMatchObject({ waiting: 1, lag_s: 92 })
  expect(after.parts.objects).toBe(false)
})

it('knows the last backup, and is for operators who may see it', async () => {
  expect((await read()).backup).toBe(null)
  const { deps } = o
  const dialogue = dialogueOf({ deps, hold: () => async () => {}, state: async () => ({}) as never })
  await dialogue.answer({ ask: 'note_backup', bytes: 85_000_000, files: 12 })
  expect((await read()).backup).toEqual({ at: deps.clock.now().toISOString(), bytes: 85_000_000, files: 12 })
  expect((await o.call(status, {}, o.acme_root)).result).toBe(errors.no_permission.result)
})
