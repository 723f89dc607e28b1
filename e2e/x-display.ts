import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { until } from '@mdm/testbed/until.ts'

const isInstalled = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return folder !== ''
    } catch {
      return false
    }
  })

/** Why there can be no screenshot of a display here, or undefined. */
export function whyNoDisplay(): string | undefined {
  if (!isInstalled('Xvfb')) return 'Xvfb is not installed'
  return ['import', 'xwd', 'ffmpeg'].some(isInstalled) ? undefined : 'none of import, xwd and ffmpeg is installed'
}

export const screen = { width: 320, height: 200 } as const
/** What the screen shows at a point: bands of red, green and blue, and a white corner. */
export function paintedAt(x: number, y: number): [red: number, green: number, blue: number] {
  if (x < 40 && y < 40) return [255, 255, 255]
  return [Math.floor(x / 80) * 60 + 40, Math.floor(y / 50) * 60 + 30, 120]
}

export type Display = AsyncDisposable & { name: string }

/** An X display of its own, painted through its frame buffer: no client has to be installed for that. */
export async function startDisplay(): Promise<Display> {
  const folder = await mkdtemp(join(tmpdir(), 'mdm-e2e-display-'))
  const size = `${screen.width}x${screen.height}x24`
  const args = ['-displayfd', '3', '-screen', '0', size, '-fbdir', folder, '-nolisten', 'tcp']
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  let number = ''
  server.stdio[3]?.on('data', (part: Buffer) => (number += part.toString()))
  const ended = new Promise((resolve) => server.on('exit', resolve))
  const stop = async () => {
    server.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await until('Xvfb to name its display', () => number.includes('\n'))
    await paint(join(folder, 'Xvfb_screen0'))
  } catch (error) {
    await stop()
    throw error
  }
  return { name: `:${number.trim()}`, [Symbol.asyncDispose]: stop }
}

/** The frame buffer is a file in the format of xwd: a head of 32-bit words, colours of 12 bytes each, pixels. */
async function paint(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    const head = Buffer.alloc(100)
    await handle.read(head, 0, head.length, 0)
    const word = (at: number) => head.readUInt32BE(at * 4)
    const [start, line, is_big] = [word(0) + word(19) * 12, word(12), word(7) === 1]
    for (let y = 0; y < screen.height; y++) {
      const row = Buffer.alloc(screen.width * 4)
      for (let x = 0; x < screen.width; x++) {
        const [red, green, blue] = paintedAt(x, y)
        row.set(is_big ? [0, red, green, blue] : [blue, green, red, 0], x * 4)
      }
      await handle.write(row, 0, row.length, start + y * line)
    }
  } finally {
    await handle.close()
  }
}
