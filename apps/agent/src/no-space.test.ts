import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, statfsSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startAgent } from './agent.ts'
import { holdFolder } from './cli.ts'
import { linuxBody } from './body/linux.ts'
import { realClock } from './clock.ts'
import { fileStore } from './store.ts'
import { startTestServer } from './testing/server.ts'
import type { TestServer } from './testing/server.ts'

const mib = 1_048_576
const disk_bytes = 32 * mib

let server: TestServer
let folder: string
/** A disk of its own takes root, and a machine that lets it mount one. */
let has_disk = false
beforeAll(async () => {
  server = await startTestServer()
  folder = await mkdtemp(join(tmpdir(), 'mdm-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${disk_bytes}`, 'none', folder], { stdio: 'ignore' })
    has_disk = true
  } catch {
    has_disk = false
  }
})
afterEach(() => expect(server.faults.splice(0)).toEqual([]))
afterAll(async () => {
  if (has_disk) execFileSync('umount', ['-l', folder])
  await rm(folder, { recursive: true, force: true })
  await server.close()
})

const free = () => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
/** Somebody else fills the disk to the last byte. */
function fill(): string {
  const path = join(folder, 'others')
  for (let size = disk_bytes; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(size), { flag: 'a' })
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
    }
  }
  return path
}
const start = (data: string, sn: string) =>
  startAgent({
    server: server.url,
    body: linuxBody({ data, sn }),
    store: fileStore(data, { is_holder: true }),
    reconnect: { base_ms: 5, cap_ms: 50 },
  })
type Running = ReturnType<typeof start>
async function online(data: string, sn: string): Promise<Running> {
  const agent = start(data, sn)
  await server.admit(agent)
  await agent.reached('online')
  return agent
}
const message = { type: 'message', payload: { title: 'Hello', text: 'there' } }

test('a pushed file that is larger than the disk fails, and the agent goes on', async ({ skip }) => {
  if (!has_disk) return skip('no disk of its own can be mounted here')
  const data = join(folder, 'large')
  const agent = await online(data, 'D-1')
  try {
    const before = free()
    const file = server.addFile('large.bin', randomBytes(disk_bytes + mib))
    const asked = server.requests.length
    const task = await server.task(agent.kid!, { type: 'file', payload: { files: [file] } })
    expect(await server.report(task.task_kid, 'failed')).toMatchObject({ code: 'no_space' })
    expect(server.requests.slice(asked)).toEqual([])
    // Two that would fit one by one.
    const halves = [1, 2].map((each) => server.addFile(`half-${each}.bin`, randomBytes(disk_bytes * 0.6)))
    const both = await server.task(agent.kid!, { type: 'file', payload: { files: halves } })
    expect(await server.report(both.task_kid, 'failed')).toMatchObject({ code: 'no_space' })
    expect(await readdir(join(data, 'parts'))).toEqual([])
    expect(Math.abs(free() - before)).toBeLessThan(mib / 2)
    const next = await server.task(agent.kid!, message)
    await server.report(next.task_kid, 'completed')
  } finally {
    agent.kill()
  }
})

test('on a disk that others have filled tasks are written down still, and a restart works', async ({ skip }) => {
  if (!has_disk) return skip('no disk of its own can be mounted here')
  const data = join(folder, 'full')
  let agent = await online(data, 'D-2')
  const others = fill()
  try {
    const file = server.addFile('small.bin', randomBytes(100_000))
    const task = await server.task(agent.kid!, { type: 'file', payload: { files: [file] } })
    expect(await server.report(task.task_kid, 'failed')).toMatchObject({ code: 'no_space' })
    expect(agent.state).toBe('online')
    agent.kill()
    holdFolder(data)()
    agent = start(data, 'D-2')
    await agent.reached('online')
    const again = await server.task(agent.kid!, { type: 'file', payload: { files: [file] } })
    expect(await server.report(again.task_kid, 'failed')).toMatchObject({ code: 'no_space' })
    await rm(others)
    const last = await server.task(agent.kid!, { type: 'file', payload: { files: [file] } })
    await server.report(last.task_kid, 'completed')
    // The room that was given up is taken again.
    await vi.waitFor(() => expect(existsSync(join(data, 'reserve'))).toBe(true))
  } finally {
    agent.kill()
    await rm(others, { force: true })
  }
})

test('an agent that cannot write at all comes back less and less often', async () => {
  const data = await mkdtemp(join(tmpdir(), 'mdm-unwritable-'))
  const store = fileStore(data)
  let is_full = false
  const waits: number[] = []
  const base_ms = 7
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const agent = startAgent({
    server: server.url,
    body: linuxBody({ data, sn: 'D-3' }),
    store: {
      ...store,
      write: (name, value) =>
        is_full ? Promise.reject(Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' })) : store.write(name, value),
    },
    clock: { ...realClock, after: (ms, run) => (waits.push(ms), realClock.after(ms, run)) },
    reconnect: { base_ms, cap_ms: 1_000_000 },
  })
  try {
    await server.admit(agent)
    await agent.reached('online')
    is_full = true
    waits.length = 0
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    const task = { task_kid: crypto.randomUUID(), attempt: 1, version: 0, expires_at, ...message }
    for (let times = 1; times <= 5; times += 1) {
      const { length } = server.of('hello', agent.kid)
      // The server says it anew with each hello, as long as it is not acknowledged.
      await server.send(agent.kid!, 'task', task)
      await vi.waitFor(() => expect(server.of('hello', agent.kid)).toHaveLength(length + 1))
      await agent.reached('online')
    }
    const back_offs = [1, 2, 3, 4, 5].map((failures) => 0.5 * base_ms * 2 ** failures)
    expect(waits.filter((ms) => back_offs.includes(ms))).toEqual(back_offs)
  } finally {
    agent.kill()
    vi.restoreAllMocks()
    await rm(data, { recursive: true, force: true })
  }
})
