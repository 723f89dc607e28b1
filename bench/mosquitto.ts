import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@mdm/server/testing/free-port.ts'
import { soon } from './p10-start.ts'

/** A broker that somebody else made, with its own settings but for the port and these. */
export async function startMosquitto(settings: string[] = []) {
  const folder = await mkdtemp(join(tmpdir(), 'mdm-mosquitto-'))
  const port = await freePort()
  const conf = join(folder, 'mosquitto.conf')
  await writeFile(conf, [`listener ${port} 127.0.0.1`, 'allow_anonymous true', ...settings, ''].join('\n'))
  const start = async () => {
    const child = spawn('mosquitto', ['-c', conf], { stdio: 'ignore' })
    await Promise.race([once(child, 'spawn'), once(child, 'error').then(([error]) => Promise.reject(error as Error))])
    await soon(() => listens(port))
    return child
  }
  const end = async (signal: NodeJS.Signals) => {
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }
  let child = await start()
  return {
    port,
    pid: child.pid!,
    /** kill -9, and started again after so long. */
    async beAway(ms: number) {
      await end('SIGKILL')
      await new Promise((resolve) => setTimeout(resolve, ms))
      child = await start()
    },
    async stop() {
      await end('SIGTERM')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const listens = (port: number) =>
  new Promise<boolean>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', reject).on('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
