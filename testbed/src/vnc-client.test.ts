import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { world } from './world.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const guide = new URL('../../docs/remote-viewer.md', import.meta.url)
const has_client = spawnSync('vncsnapshot', ['-h']).error === undefined

describe.runIf(has_client)(`a stock VNC client${has_client ? '' : ' (skipped: vncsnapshot is not installed)'}`, () => {
  test('takes a picture of a device through the program of the guide', async () => {
    await using w = await world({ agents: 1 })
    // Beside its tests, where it finds its package.
    const folder = await mkdtemp(join(here, '../../node_modules/.cache/vnc-'))
    const [, program] = /```js\n([^]*?)```/.exec(await readFile(guide, 'utf8'))!
    await writeFile(join(folder, 'vnc-relay.mjs'), program!)
    const [device] = w.devices
    const { identity } = w.customers[0]!
    const env = { ...process.env, SERVER: w.url, TOKEN: identity.token, TERMINAL: device!.kid, PORT: '0' }
    const relay = spawn(process.execPath, ['vnc-relay.mjs'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      const [line] = (await once(relay.stdout, 'data')) as [Buffer]
      const port = Number(line.toString().trim().split(':')[1])
      const picture = join(folder, 'screen.jpg')
      // It counts displays from port 5900 on.
      await promisify(execFile)('vncsnapshot', ['-quiet', `127.0.0.1:${port - 5900}`, picture])
      const jpeg = await readFile(picture)
      const { width, height } = device!.body.remote.screen
      expect(sizeOf(jpeg)).toEqual({ width, height })
    } finally {
      relay.kill()
      await rm(folder, { recursive: true })
    }
    expect(w.internal_errors).toEqual([])
  })
})

/** Of a baseline JPEG: its frame header says both. */
function sizeOf(jpeg: Buffer): { width: number; height: number } {
  const at = jpeg.indexOf(Buffer.from([0xff, 0xc0]))
  return { height: jpeg.readUInt16BE(at + 5), width: jpeg.readUInt16BE(at + 7) }
}
