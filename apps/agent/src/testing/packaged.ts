import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { bundleAgent } from '../../bundle.mjs'
import { environment, flags } from '../../debian.mjs'
import { startTestServer } from './server.ts'

type Options = { uid?: number; env?: object; node?: string[]; before?: string[] }
const online_ms = 30_000

/** The bundle that the package holds, started as the package starts it, against a server of its own. */
export async function packagedAgents() {
  const folder = mkdtempSync(join(tmpdir(), 'mdm-package-'))
  chmodSync(folder, 0o755)
  const bundle = await bundleAgent(folder)
  const server = await startTestServer()
  const children: ChildProcess[] = []

  function start(command: string[], { env, uid }: Options = {}) {
    const child = spawn(command[0]!, command.slice(1), {
      ...(uid !== undefined && { uid }),
      env: { ...process.env, ...environment, ...env },
      cwd: folder,
    })
    children.push(child)
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
    return { child, said: () => said }
  }

  /** A device that has registered by a QR code; serial numbers are in capitals. */
  async function device(sn: string, args: string[], options: Options = {}) {
    const token = randomBytes(8).toString('hex')
    server.tokens.add(token)
    const data = join(folder, sn)
    mkdirSync(data)
    if (options.uid !== undefined) chownSync(data, options.uid, options.uid)
    const run = async () => {
      const hellos = server.of('hello').length
      const node = [...(options.before ?? []), process.execPath, ...flags, ...(options.node ?? []), bundle, 'agent']
      const of_device = ['--server', server.url, '--sn', sn, '--data', data, '--qrcode', token]
      const { child, said } = start([...node, ...of_device, ...args], options)
      const seen = () => expect(server.of('hello').length, said()).toBeGreaterThan(hellos)
      await vi.waitFor(seen, { timeout: online_ms })
      return { child, said }
    }
    let running = await run()
    const { kid } = server.registered.get(sn)!
    return {
      ...{ kid, data },
      child: () => running.child,
      said: () => running.said(),
      /** Loses power: nothing of it runs a line more. */
      async kill() {
        const ended = new Promise((resolve) => running.child.once('exit', resolve))
        running.child.kill('SIGKILL')
        await ended
      },
      async startAgain() {
        running = await run()
      },
    }
  }

  return {
    ...{ folder, bundle, server, start, device },
    async close() {
      for (const child of children) child.kill('SIGKILL')
      await server.close()
      rmSync(folder, { recursive: true })
    },
  }
}
