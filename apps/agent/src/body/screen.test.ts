import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parseCommand, runCommand } from './command.ts'
import { drawScreen } from './picture.ts'
import { encodePng, xwdToPng } from './png.ts'
import { captureScreen } from './screen.ts'

let folder: string
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'mdm-screen-'))))
afterAll(() => rm(folder, { recursive: true }))
const { signal } = new AbortController()
const none = { command: undefined, display: undefined, path: '', signal }

/** A window dump as an X server with 24 bits of colour in 32 makes it: 2 x 1, red and blue, one entry of colour map. */
function windowDump(): Buffer {
  const name = 'root\0\0\0\0'
  const head = Buffer.alloc(100 + name.length)
  const fields = [108, 7, 2, 24, 2, 1, 0, 0, 32, 0, 32, 32, 8, 4, 0xff0000, 0xff00, 0xff, 8, 256, 1, 2, 1, 0, 0, 0]
  fields.forEach((value, at) => head.writeUInt32BE(value, at * 4))
  head.write(name, 100, 'latin1')
  return Buffer.concat([head, Buffer.alloc(12), Buffer.from([0, 0, 255, 0, 255, 0, 0, 0])])
}

test('pictures can be read by others', () => {
  const read = PNG.sync.read(encodePng(2, 1, Buffer.from([1, 2, 3, 250, 251, 252])))
  expect([read.width, read.height, ...read.data]).toEqual([2, 1, 1, 2, 3, 255, 250, 251, 252, 255])
  const screen = PNG.sync.read(drawScreen(480, 800, 3, ['SIM-1-00001', 'm102 9.00.101']))
  expect([screen.width, screen.height]).toEqual([480, 800])
  expect(new Set(screen.data).has(235)).toBe(true)
  const dump = PNG.sync.read(xwdToPng(windowDump()))
  expect([...dump.data]).toEqual([255, 0, 0, 255, 0, 0, 255, 255])
})

test('a file that is no window dump is refused', () => {
  expect(() => xwdToPng(Buffer.from('nonsense'))).toThrow('not a window dump')
  expect(() => xwdToPng(windowDump().subarray(0, -1))).toThrow('cut')
  const huge = windowDump()
  huge.writeUInt32BE(0xffffffff, 16)
  expect(() => xwdToPng(huge)).toThrow('cut')
})

test('the screen is pictured by the first tool that is installed, or by the configured command', async () => {
  const tool = join(folder, 'xwd')
  const dump = join(folder, 'dump')
  await writeFile(dump, windowDump())
  await writeFile(tool, `#!/bin/sh\n[ "$3" = :7 ] || { echo "unable to open display $3" >&2; exit 1; }\ncat ${dump}\n`)
  await chmod(tool, 0o755)
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
  try {
    const options = { ...none, path: folder }
    expect(PNG.sync.read(await captureScreen({ ...options, display: ':7' })).width).toBe(2)
    await expect(captureScreen({ ...options, display: ':8' })).rejects.toMatchObject({ code: 'no_display' })
  } finally {
    vi.unstubAllEnvs()
  }
  await expect(captureScreen(none)).rejects.toMatchObject({ code: 'no_display' })
  await expect(captureScreen({ ...none, display: ':7' })).rejects.toMatchObject({ code: 'no_screenshot_tool' })
  const configured = await captureScreen({ ...none, command: ['cat', dump] })
  expect(PNG.sync.read(configured).height).toBe(1)
  await expect(captureScreen({ ...none, command: ['echo', 'hm'] })).rejects.toMatchObject({ code: 'screenshot_failed' })
})

test('commands run without a shell, for a limited time and output', async () => {
  expect(parseCommand('  loginctl   lock-session ')).toEqual(['loginctl', 'lock-session'])
  expect(parseCommand('["say", "a b; rm -rf ~"]')).toEqual(['say', 'a b; rm -rf ~'])
  expect(parseCommand(' ')).toBeUndefined()
  expect(() => parseCommand('["a", 1]')).toThrow('Not a JSON array of strings')
  expect(() => parseCommand('[oops')).toThrow('Not a JSON array')
  const ran = await runCommand(['cat'], { timeout_ms: 5000, stdin: '$(id)\0', env: { MDM_TEXT: 'a\0b' } })
  expect(ran.stdout.toString()).toBe('$(id)\0')
  await expect(runCommand(['sleep', '60'], { timeout_ms: 50 })).rejects.toMatchObject({ code: 'command_timeout' })
  await expect(runCommand(['yes'], { timeout_ms: 5000, max_bytes: 1000 })).rejects.toMatchObject({
    code: 'command_output',
  })
  await expect(runCommand(['no-such-program'], { timeout_ms: 50 })).rejects.toMatchObject({ code: 'command_failed' })
})
