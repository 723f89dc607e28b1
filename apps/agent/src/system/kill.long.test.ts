import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { packagedAgents } from '../testing/packaged.ts'
import { zip } from '../testing/zip.ts'

const minute = 60_000
let packaged: Awaited<ReturnType<typeof packagedAgents>>
beforeAll(async () => void (packaged = await packagedAgents()))
afterAll(() => packaged.close())

/** Waits for a report of a task, so closely that little happens in between. */
const reported = (task_kid: string, state: string) =>
  vi.waitFor(() => expect(packaged.server.states(task_kid)).toContain(state), { timeout: minute, interval: 1 })
const ended = (task_kid: string) =>
  vi.waitFor(
    () => {
      const last = packaged.server.states(task_kid).at(-1)
      expect(['completed', 'failed', 'canceled']).toContain(last)
      return last
    },
    { timeout: minute, interval: 20 },
  )
const lines = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').length : 0)
/** A command of the owner that writes down that it ran, and takes a while. */
const noting = (path: string) => JSON.stringify(['sh', '-c', `cat > /dev/null; echo ran >> ${path}; sleep 1`])

describe('the packaged agent, killed in each state of a task and started again', () => {
  test.each(['receipt', 'downloading', 'downloaded', 'executing', 'completed'])(
    'a file arrives once and whole when it dies at %s',
    async (state) => {
      const { server, device, folder } = packaged
      const d = await device(`K-FILE-${state.toUpperCase()}`, [])
      const bytes = randomBytes(6_000_000)
      if (state === 'downloading') server.settings.stalls = [2_000_000]
      const path = join(folder, state)
      const file = { ...server.addFile(`${state}.bin`, bytes), path }
      const task = await server.task(d.kid, { type: 'file', payload: { files: [file] } })
      await reported(task.task_kid, state)
      if (state === 'downloading')
        await vi.waitFor(() => expect(server.settings.stalls).toEqual([]), { timeout: minute })
      await d.kill()
      const requests = server.requests.length
      await d.startAgain()
      // The server sends what it has no end of once more; that it is known begins nothing anew.
      await server.send(d.kid, 'task', task)
      expect(await ended(task.task_kid)).toBe('completed')
      expect(readFileSync(join(path, file.name)).equals(bytes)).toBe(true)
      expect(existsSync(join(d.data, 'parts')) ? readdirSync(join(d.data, 'parts')) : []).toEqual([])
      const again = server.requests.slice(requests).filter(({ path }) => path.startsWith('/files/'))
      if (state === 'completed') expect(again).toEqual([])
      await d.kill()
    },
    3 * minute,
  )

  test.each(['receipt', 'downloading', 'downloaded', 'executing', 'completed'])(
    'an app is installed whole when it dies at %s',
    async (state) => {
      const { server, device } = packaged
      const d = await device(`K-APP-${state.toUpperCase()}`, [])
      const name = 'com.example.till'
      const bytes = zip([
        { name: 'mdm-app.json', content: Buffer.from(JSON.stringify({ package: name, version: '2.0' })) },
        { name: 'data/big.bin', content: randomBytes(3_000_000) },
      ])
      const { path: _, ...file } = server.addFile(`${state}.zip`, bytes)
      const app = { package: name, version: '2.0', version_code: 20, kind: 'zip', title: 'Till', is_dependency: false }
      const task = await server.task(d.kid, { type: 'app_install', payload: { apps: [{ ...app, file }] } })
      await reported(task.task_kid, state)
      await d.kill()
      await d.startAgain()
      await server.send(d.kid, 'task', task)
      expect(await ended(task.task_kid)).toBe('completed')
      expect(readdirSync(join(d.data, 'apps', name, 'versions'))).toHaveLength(1)
      await d.kill()
    },
    3 * minute,
  )

  test(
    'what may not happen twice happens once, and is told as interrupted',
    async () => {
      const { server, device, folder } = packaged
      const ran = join(folder, 'message-ran')
      const d = await device('K-MESSAGE', ['--message-command', noting(ran)])
      const task = await server.task(d.kid, { type: 'message', payload: { title: 'Hello', text: 'there' } })
      await reported(task.task_kid, 'executing')
      await vi.waitFor(() => expect(lines(ran)).toBe(1), { timeout: minute, interval: 5 })
      await d.kill()
      await d.startAgain()
      await server.send(d.kid, 'task', task)
      expect(await server.report(task.task_kid, 'failed')).toMatchObject({ code: 'interrupted' })
      expect(lines(ran)).toBe(1)
      const next = await server.task(d.kid, { type: 'message', payload: { title: 'Hello', text: 'again' } })
      await reported(next.task_kid, 'completed')
      await d.kill()
      await d.startAgain()
      await server.send(d.kid, 'task', next)
      // Whatever is asked of it now has come after that task.
      const last = await server.task(d.kid, { type: 'message', payload: { title: 'Hello', text: 'last' } })
      expect(await ended(last.task_kid)).toBe('completed')
      expect(server.states(next.task_kid)).not.toContain('failed')
      expect(lines(ran)).toBe(3)
    },
    3 * minute,
  )

  test(
    'at moments that nobody chose: ten kills in the middle of six pushes lose none of them',
    async () => {
      const { server, device, folder } = packaged
      const [ran, path] = [join(folder, 'lock-ran'), join(folder, 'any')]
      const d = await device('K-ANY', ['--lock-command', JSON.stringify(['sh', '-c', `cat > ${ran}`])])
      const wanted = Array.from({ length: 5 }, (_, at) => ({
        ...server.addFile(`any-${at}.bin`, randomBytes(3_000_000)),
        path,
      }))
      const tasks = []
      for (const file of wanted) tasks.push(await server.task(d.kid, { type: 'file', payload: { files: [file] } }))
      tasks.push(await server.task(d.kid, { type: 'lock', payload: { password: '1234' } }))
      for (let round = 0; round < 10; round += 1) {
        await new Promise((resolve) => setTimeout(resolve, round * 40))
        await d.kill()
        await d.startAgain()
        for (const task of tasks) await server.send(d.kid, 'task', task)
      }
      for (const { task_kid } of tasks) expect(await ended(task_kid)).toBe('completed')
      for (const { name, sha256 } of wanted) {
        const arrived = readFileSync(join(path, name))
        expect(server.addFile('copy', arrived).sha256).toBe(sha256)
      }
      expect(readFileSync(ran, 'utf8')).toBe('1234')
      // A kill at the end of a download may leave its part, which goes by its age; nothing else stays.
      for (const left of readdirSync(join(d.data, 'parts'))) expect(left).toMatch(/^[0-9a-f]{16}\.3000000\.part$/)
      expect(server.faults).toEqual([])
    },
    5 * minute,
  )
})
