import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test, vi } from 'vitest'
import { startTestServer } from './testing/server.ts'

const page = readFileSync(join(dirname(fileURLToPath(import.meta.url)), '../../../docs/device-link/joining.md'), 'utf8')
const steps = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
const programs = ['bash', 'curl', 'jq', 'openssl', 'mosquitto_rr', 'mosquitto_pub']
const missing = programs.filter((program) => spawnSync('which', [program]).status !== 0)
const title = 'the device of the page, acted out in a shell, does its message task'

// It needs the programs that the page names; everything else about the page is tested without them.
test.skipIf(missing.length > 0)(
  missing.length > 0 ? `${title} (left out: no ${missing.join(', ')})` : title,
  async () => {
    const server = await startTestServer()
    const hand = steps.slice(0, 5).join('\n').replace('http://localhost:8081', server.url)
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', hand], { stdio: ['ignore', 'pipe', 'pipe'] })
    let out = ''
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (out += chunk.toString()))
    const ended = new Promise((resolve) => shell.on('close', resolve))
    const until = <T>(check: () => T) => vi.waitFor(check, { interval: 50 })
    try {
      const code = await until(() => server.announced.get('HAND-0001')?.code ?? expect.fail(out))
      server.register('HAND-0001', code)
      await until(() => expect(server.of('hello')).toHaveLength(1))
      const { kid } = server.registered.get('HAND-0001') ?? expect.fail('not registered')
      const task = await server.task(kid, { type: 'message', payload: { title: 'Hello', text: 'hand' } })
      expect(await ended, out).toBe(0)
      expect(out).toContain('Hello: hand')
      expect(server.states(task.task_kid)).toEqual(['receipt', 'wait_execute', 'executing', 'completed'])
      expect(server.of('task').map(({ expected_version }) => expected_version)).toEqual([3, 4, 5, 6])
      expect(server.of('state')[0]?.battery?.level).toBe(71)
      expect(server.of('event')[0]?.events).toHaveLength(1)
      expect(server.faults).toEqual([])
    } finally {
      shell.kill()
      await server.close()
    }
  },
)
