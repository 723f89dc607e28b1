import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { realClock } from '../clock.ts'
import { openJournal } from '../journal.ts'
import { followLog } from './log-follow.ts'
import { programPath } from './process.ts'
import { terminal } from './terminal.ts'

const opened: Duplex[] = []
const folders: string[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const stream of opened.splice(0)) stream.destroy()
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})
function reading(stream: Duplex) {
  opened.push(stream)
  let text = ''
  stream.on('data', (bytes: Buffer) => (text += bytes.toString()))
  return {
    says: async (words: RegExp) =>
      vi.waitFor(() => {
        const found = words.exec(text)
        if (!found) throw new Error(`not said: ${words}, but ${JSON.stringify(text)}`)
        return found
      }),
  }
}
/** One that has ended stays in the list for as long as its parent does not look. */
const isAlive = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'latin1').includes(') Z ')
  } catch {
    return false
  }
}
const isGone = async (pid: number) => vi.waitFor(() => expect(isAlive(pid)).toBe(false))

test('a shell has a terminal of the size that is asked for, which can change, and nothing of it is left', async () => {
  vi.stubEnv('SHELL', '/bin/sh')
  const { stream, take } = terminal({ columns: 91, rows: 33 })
  const shell = reading(stream)
  stream.write('stty size; tty; echo "as $TERM"\r')
  await shell.says(/33 91\r\n\/dev\/pts\/\d+\r\nas xterm-256color\r\n/)
  take!({ resize: { columns: 90, rows: 30 } })
  take!({ resize: { columns: 120, rows: 40 } })
  // It is told by a signal, as on every terminal.
  stream.write('until stty size | grep -q "^40 120$"; do sleep 0.02; done; echo is""resized\r')
  await shell.says(/isresized/)
  stream.write('sleep 4321 & echo p""id=$!\r')
  const [, background] = await shell.says(/pid=(\d+)/)
  expect(isAlive(Number(background))).toBe(true)
  stream.destroy()
  await isGone(Number(background))
})

test('where SHELL names nothing that runs, the shell that every Linux has is taken', async () => {
  vi.stubEnv('SHELL', '/nowhere/sh')
  const { stream } = terminal({})
  const shell = reading(stream)
  stream.write('echo a$((1 + 1))b\r')
  await shell.says(/a2b/)
})

test('a shell that is left ends its stream', async () => {
  vi.stubEnv('SHELL', '/bin/sh')
  const { stream } = terminal({})
  const ended = new Promise<void>((resolve) => stream.once('end', () => resolve()))
  reading(stream)
  stream.write('sleep 4321 & exit\r')
  await ended
})

test('an agent that is killed takes its shells with it', async () => {
  const child = fork(join(process.env['MDM_TEST_PROGRAMS']!, 'shell-opener.js'), [], { execArgv: [], stdio: 'ignore' })
  const background = Number(await new Promise((resolve) => child.once('message', resolve)))
  expect(isAlive(background)).toBe(true)
  child.kill('SIGKILL')
  await isGone(background)
})

test('where there is no script, a shell is on plain pipes and its lines can be read all the same', async () => {
  vi.stubEnv('SHELL', '/bin/sh')
  const folder = await mkdtemp(join(tmpdir(), 'mdm-path-'))
  folders.push(folder)
  for (const program of ['setpriv', 'sleep']) await symlink(programPath(program)!, join(folder, program))
  vi.stubEnv('PATH', folder)
  const { stream } = terminal({})
  const shell = reading(stream)
  stream.write('echo a$((1 + 1))b; sleep 4321 & echo p""id=$!\r')
  await shell.says(/^echo a\$\(\(1 \+ 1\)\)b; [^\r\n]*\r\na2b\n/)
  const [, background] = await shell.says(/pid=(\d+)/)
  stream.destroy()
  await isGone(Number(background))
})

test('a log is followed: of a command that is configured, and else of the agent itself', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mdm-log-'))
  folders.push(folder)
  const program = join(folder, 'follow')
  await writeFile(program, '#!/bin/sh\necho "pid=$$"\nexec sleep 4321\n')
  await chmod(program, 0o755)
  const journal = openJournal(realClock)
  const command = followLog([program], journal)
  const [, pid] = await reading(command.stream).says(/pid=(\d+)\n/)
  command.stream.destroy()
  await isGone(Number(pid))

  vi.stubEnv('PATH', '')
  journal.add('said before')
  const own = followLog(undefined, journal)
  const lines = reading(own.stream)
  await lines.says(/ said before\n$/)
  journal.add('said since')
  await lines.says(/ said before\n.* said since\n$/)
  own.stream.destroy()
  journal.add('said to nobody')
})

test('a command that is not there ends the tunnel', async () => {
  const { stream } = followLog(['/nonexistent/follow'], openJournal(realClock))
  const over = new Promise<unknown>((resolve) => {
    stream.once('error', resolve)
    stream.once('end', () => resolve('end'))
  })
  reading(stream)
  expect(await over).toBeDefined()
})
