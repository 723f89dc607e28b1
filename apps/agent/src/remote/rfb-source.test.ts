import { afterEach, expect, test, vi } from 'vitest'
import { realClock } from '../clock.ts'
import type { Clock } from '../clock.ts'
import { rfbClient } from '../testing/rfb-client.ts'
import { rfbMessages } from './rfb-messages.ts'
import { rfbSource } from './rfb-source.ts'
import { simulatedScreen } from './simulated-screen.ts'

const opened: { destroy(): void }[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const stream of opened.splice(0)) stream.destroy()
})

/** A screen on which only what is done to it changes. */
const stopped: Clock = { now: () => new Date('2026-03-01T08:00:00Z'), after: () => () => {} }
const screenOf = (clock = stopped) => simulatedScreen({ sn: 'T-1', hue: 2, clock })
async function look(
  screen = screenOf(),
  {
    clipboard = true,
    clock = realClock,
    ...client
  }: { clipboard?: boolean; clock?: Clock } & Parameters<typeof rfbClient>[1] = {},
) {
  const source = rfbSource(screen, { clock, clipboard })
  opened.push(source.stream)
  return { screen, source, viewer: await rfbClient(source.stream, client) }
}

test('a viewer gets the whole picture first, then only what has changed', async () => {
  const { viewer } = await look(screenOf(realClock))
  expect(viewer).toMatchObject({ server_version: 'RFB 003.008\n', security: [1], name: 'T-1' })
  expect(viewer.size).toEqual({ width: 480, height: 800 })
  viewer.request(false)
  expect(await viewer.update()).toEqual([{ x: 0, y: 0, width: 480, height: 800, encoding: 0 }])
  const first = viewer.pixels.slice()
  for (let frame = 0; frame < 3; frame += 1) {
    viewer.request(true)
    const area = (await viewer.update()).reduce((sum, { width, height }) => sum + width * height, 0)
    expect(area).toBeGreaterThan(0)
    expect(area).toBeLessThan((480 * 800) / 4)
  }
  expect(viewer.pixels).not.toEqual(first)
})

test('what is typed, in whichever script, is on the screen and in its picture', async () => {
  const { screen, viewer } = await look()
  viewer.request(false)
  await viewer.update()
  const before = viewer.pixels.slice(480 * 256, 480 * 300)
  viewer.type('Xin chào, 你好\nx')
  viewer.key(0xff08)
  viewer.request(true, 0, 256, 480, 64)
  await viewer.update()
  expect(screen.typed).toBe('Xin chào, 你好\n')
  expect(viewer.pixels.slice(480 * 256, 480 * 300)).not.toEqual(before)
})

test('text is carried between both clipboards, unless that is off', async () => {
  const { screen, viewer } = await look()
  viewer.cut('caf\u00e9')
  viewer.keyEvent(0xffe3, true)
  viewer.key('v'.charCodeAt(0))
  viewer.keyEvent(0xffe3, false)
  viewer.type('!')
  viewer.keyEvent(0xffe3, true)
  viewer.key('c'.charCodeAt(0))
  viewer.request(false)
  await viewer.update()
  expect(screen.typed).toBe('caf\u00e9!')
  expect(viewer.copied).toEqual(['caf\u00e9!'])

  const off = await look(screen, { clipboard: false })
  off.viewer.cut('not taken')
  viewer.key('c'.charCodeAt(0))
  off.viewer.request(false)
  await off.viewer.update()
  expect(screen.clipboard).toBe('caf\u00e9!')
  expect(off.viewer.copied).toEqual([])
})

test('keys of the device and touches of its own buttons change what it shows', async () => {
  const { screen, source, viewer } = await look()
  source.take?.({ key: 'menu' })
  expect(screen.app).toBe('MENU')
  viewer.pointer(240, 780, 1)
  viewer.pointer(240, 780, 0)
  viewer.request(false)
  await viewer.update()
  expect(screen.app).toBe('HOME')
  source.take?.({ key: 'power' })
  expect(screen.app).toBe('OFF')
})

test('a screen turns for a viewer that can follow it, and for no other', async () => {
  const { screen, source, viewer } = await look()
  source.take?.({ rotate: true })
  expect(screen.width).toBe(480)
  viewer.setEncodings(0, -223)
  viewer.request(false)
  await viewer.update()
  source.take?.({ rotate: true })
  viewer.request(true)
  expect(await viewer.update()).toEqual([{ x: 0, y: 0, width: 800, height: 480, encoding: -223 }])
  viewer.request(true)
  expect(await viewer.update()).toEqual([{ x: 0, y: 0, width: 800, height: 480, encoding: 0 }])
  expect(viewer.pixels).toEqual(screen.pixels)

  const rigid = await look(screen)
  source.take?.({ rotate: true })
  rigid.viewer.request(false)
  await expect(rigid.viewer.update()).rejects.toThrow('cannot follow')
})

test('a viewer may want its pixels in 16 bits', async () => {
  const { screen, viewer } = await look(screenOf(), { bits: 16 })
  viewer.setFormat(false, [31, 63, 31], [11, 5, 0])
  viewer.request(false)
  await viewer.update()
  const [pixel] = screen.pixels
  const [red, green, blue] = [pixel! >> 16, (pixel! >> 8) & 255, pixel! & 255]
  const scaled = (value: number, most: number) => Math.trunc((value * most) / 255)
  expect(viewer.pixels[0]).toBe((scaled(red, 31) << 11) | (scaled(green, 63) << 5) | scaled(blue, 31))
})

test('frames come no faster than ten a second, and slower where the viewer wishes so', async () => {
  let time = 1_000
  vi.spyOn(performance, 'now').mockImplementation(() => time)
  const waits: { ms: number; run: () => void }[] = []
  const clock: Clock = { ...realClock, after: (ms, run) => (waits.push({ ms, run }), () => {}) }
  const { source, viewer } = await look(screenOf(), { clock })
  viewer.request(false)
  await viewer.update()
  const next = async (asked_at: number, ms: number) => {
    time = asked_at
    viewer.request(false)
    await vi.waitFor(() => expect(waits.map((wait) => wait.ms)).toEqual([ms]))
    time += ms
    waits.pop()!.run()
    await viewer.update()
  }
  await next(1_030, 70)
  source.take?.({ quality: 'low' })
  await next(1_200, 400)
})

test('a viewer that does not read is owed no more than a piece, whatever happens on the screen', async () => {
  const { screen, source, viewer } = await look()
  for (let frame = 0; frame < 20; frame += 1) {
    viewer.request(false)
    screen.press('menu')
    screen.press('home')
  }
  await vi.waitFor(() => expect(source.stream.readableLength).toBeGreaterThan(60_000))
  expect(source.stream.readableLength).toBeLessThan(200_000)
})

test.each(['003.003', '003.007'])('a viewer of RFB %s is greeted as it knows it', async (version) => {
  const { viewer } = await look(screenOf(), { version })
  viewer.request(false)
  expect(await viewer.update()).toHaveLength(1)
})

test('who looks is named on the screen, which stands still once nobody does', async () => {
  const timers = new Set<object>()
  const counted: Clock = {
    now: realClock.now,
    after(ms, run) {
      const timer = {}
      timers.add(timer)
      const cancel = realClock.after(ms, () => {
        timers.delete(timer)
        run()
      })
      return () => {
        timers.delete(timer)
        cancel()
      }
    },
  }
  const { screen, source, viewer } = await look(screenOf(counted))
  screen.viewers = ['Avery']
  viewer.request(false)
  await viewer.update()
  expect(viewer.pixels[0]).toBe(0xd92b2b)
  screen.viewers = []
  viewer.request(false)
  await viewer.update()
  expect(viewer.pixels[0]).not.toBe(0xd92b2b)
  expect(timers.size).toBe(1)
  source.stream.destroy()
  await vi.waitFor(() => expect(timers.size).toBe(0))
})

test('messages are told apart wherever they are cut, and what is none is refused', () => {
  const messages = [
    [0, ...Array<number>(19).fill(7)],
    [2, 0, 0, 2, 0, 0, 0, 0, 255, 255, 255, 33],
    [3, 1, 0, 0, 0, 0, 1, 224, 3, 32],
    [4, 1, 0, 0, 0, 0, 0, 97],
    [5, 0, 0, 1, 0, 1],
    [6, 0, 0, 0, 0, 0, 0, 2, 104, 105],
    [6, 0, 0, 0, 255, 255, 255, 252, 1, 0, 0, 1],
    [248, 0, 0, 0, 0, 0, 0, 1, 2, 9, 9],
    [150, 1, 0, 0, 0, 0, 0, 9, 0, 9],
    [255, 0, 0, 1, 0, 0, 0, 97, 0, 0, 0, 30],
    [251, 0, 1, 0, 1, 0, 1, 0, ...Array<number>(16).fill(0)],
    [250, 0, 1, 2],
  ].map((bytes) => Buffer.from(bytes))
  const whole = Buffer.concat(messages)
  expect(rfbMessages()(whole)).toEqual(messages)
  const cut = rfbMessages()
  expect([...whole].flatMap((byte) => cut(Buffer.from([byte])))).toEqual(messages)
  expect(() => rfbMessages()(Buffer.from([77]))).toThrow('unknown type 77')
  expect(() => rfbMessages()(Buffer.from([6, 0, 0, 0, 0x7f, 0, 0, 0]))).toThrow('bytes')
})
