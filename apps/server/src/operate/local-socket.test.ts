import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLog } from '../lib/log.ts'
import { runningServer } from './ask-server.ts'
import type { Ask } from './asks.ts'
import { listenLocally, socketPath } from './local-socket.ts'
import type { Dialogue } from './local-socket.ts'

let data: string
let local: Awaited<ReturnType<typeof listenLocally>>
let left: number
const answer = async (ask: Ask) => {
  if (ask.ask === 'reset_password') return { password: `of ${ask.username}` }
  throw new Error('Not today.')
}
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'mdm-socket-'))
  left = 0
  // As a server leaves it that was killed.
  await writeFile(socketPath(data), '')
  local = await listenLocally({ data, log: createLog('silent') }, () => ({
    answer: answer as Dialogue['answer'],
    left: async () => void (left += 1),
  }))
})
afterEach(async () => {
  await local.close()
  await rm(data, { recursive: true })
})

it('answers its own user, who is told what failed', async () => {
  expect((await stat(socketPath(data))).mode & 0o777).toBe(0o600)
  const running = (await runningServer(data))!
  expect(await running.ask({ ask: 'reset_password', username: 'admin' })).toEqual({ password: 'of admin' })
  await expect(running.ask({ ask: 'begin_backup' })).rejects.toThrow('Not today.')
  running.close()
  await vi.waitFor(() => expect(left).toBe(1))
})

it('ends what was begun when the server closes', async () => {
  const running = (await runningServer(data))!
  await running.ask({ ask: 'reset_password', username: 'admin' })
  await local.close()
  expect(left).toBe(1)
  await expect(running.ask({ ask: 'state' })).rejects.toThrow('The server ended the connection')
  expect(await runningServer(data)).toBeUndefined()
})

it('refuses what it does not know, and hangs up on a line without end', async () => {
  const socket = connect(socketPath(data))
  socket.write('{"ask":"format_disk"}\n{"ask":\n')
  socket.write('x'.repeat(70_000))
  const faults = (await text(socket)).trim().split('\n')
  expect(faults.map((line) => Object.keys(JSON.parse(line) as object))).toEqual([['fault'], ['fault']])
  expect(left).toBe(1)
})
