import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { until } from './until.ts'

const isInstalled = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return folder !== ''
    } catch {
      return false
    }
  })

/** Why nobody can look at a real display over VNC here, or undefined. */
export function whyNoVnc(): string | undefined {
  const missing = ['Xtigervnc', 'xterm', 'xclip'].filter((program) => !isInstalled(program))
  return missing.length === 0 ? undefined : `not installed: ${missing.join(', ')}`
}

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

export type Display = AsyncDisposable & {
  name: string
  /** Has it stand still, or go on. */
  hold: (is_held: boolean) => void
}

/** A display of its own: a program that names it on descriptor 3. */
async function startX(program: string, args: readonly string[]): Promise<Display> {
  const server = spawn(program, ['-displayfd', '3', ...args, '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  let [number, said] = ['', '']
  server.stderr!.on('data', (part: Buffer) => (said += part.toString()))
  server.stdio[3]?.on('data', (part: Buffer) => (number += part.toString()))
  const ended = new Promise<void>((resolve) => server.on('exit', () => resolve()))
  const stop = async () => {
    server.kill('SIGTERM')
    await ended
  }
  try {
    await until(`${program} to name its display`, () => {
      if (server.exitCode !== null) throw new Error(`${program} ended:\n${said}`)
      return number.includes('\n')
    })
  } catch (error) {
    await stop()
    throw error
  }
  const hold = (is_held: boolean) => void server.kill(is_held ? 'SIGSTOP' : 'SIGCONT')
  return { name: `:${number.trim()}`, hold, [Symbol.asyncDispose]: stop }
}

/** An X display, painted through its frame buffer: no client has to be installed for that. */
export async function startDisplay(): Promise<Display> {
  const folder = await mkdtemp(join(tmpdir(), 'mdm-e2e-display-'))
  const erase = () => rm(folder, { recursive: true, force: true })
  const size = `${screen.width}x${screen.height}x24`
  let display: Display | undefined
  const stop = async () => {
    await display?.[Symbol.asyncDispose]()
    await erase()
  }
  try {
    display = await startX('Xvfb', ['-screen', '0', size, '-fbdir', folder])
    await paint(join(folder, 'Xvfb_screen0'))
  } catch (error) {
    await stop()
    throw error
  }
  return { ...display, [Symbol.asyncDispose]: stop }
}

/** An X display that is shown over VNC on a port of this machine. */
export const startVncDisplay = (port: number): Promise<Display> =>
  startX('Xtigervnc', [
    ...['-rfbport', String(port), '-localhost', '-SecurityTypes', 'None'],
    ...['-geometry', '800x600', '-depth', '24'],
  ])

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
