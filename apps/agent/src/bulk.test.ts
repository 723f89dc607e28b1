import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { upload } from './bulk.ts'
import type { Payload } from './bulk.ts'
import type { Clock } from './clock.ts'
import { openTurns } from './turns.ts'

/** Waits take no time, and `waits` counts them; each moves the clock on by its length or by `step_ms`. */
function hurriedClock(on_wait: (waits: number) => Promise<void> | void, step_ms?: number) {
  let now = 0
  let waits = 0
  const clock: Clock = {
    now: () => new Date(now),
    after(ms, run) {
      now += step_ms ?? ms
      waits += 1
      void Promise.resolve(on_wait(waits)).then(run)
      return () => {}
    },
  }
  return { clock, waits: () => waits }
}
const picture = { size: 7, open: () => [Buffer.from('picture')] }
const send = (clock: Clock, server: string, payload: Payload = picture) =>
  upload(
    {
      credentials: { server, kid: 'kid', secret: 'secret' } as never,
      clock,
      turns: openTurns(),
      reconnect: { base_ms: 1, cap_ms: 5 },
    },
    `${server}/slot`,
    payload,
    'image/png',
    new AbortController().signal,
  )
async function listening(status: number, body: unknown, port = 0) {
  const server = createServer((_req, res) => void res.writeHead(status).end(JSON.stringify(body)))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const own = (server.address() as AddressInfo).port
  return { port: own, close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()) }
}

test('a server that is away for many tries is waited for', async () => {
  const before = await listening(500, {})
  await before.close()
  let back: { close: () => Promise<unknown> } | undefined
  const { clock, waits } = hurriedClock(async (waits) => {
    if (waits === 30) back = await listening(200, { result: 1, data: { object: 'kept' } }, before.port)
  })
  expect(await send(clock, `http://127.0.0.1:${before.port}`)).toBe('kept')
  expect(waits()).toBe(30)
  await back?.close()
})

test('a server that stays away is given up after half an hour', async () => {
  const gone = await listening(500, {})
  await gone.close()
  const { clock, waits } = hurriedClock(() => {}, 60_000)
  await expect(send(clock, `http://127.0.0.1:${gone.port}`)).rejects.toMatchObject({ code: 'upload_failed' })
  expect(waits()).toBe(30)
})

test('a server that answers with trouble is given up after eight answers, and one that sends away at once', async () => {
  const ill = await listening(503, {})
  const { clock, waits } = hurriedClock(() => {})
  await expect(send(clock, `http://127.0.0.1:${ill.port}`)).rejects.toMatchObject({ code: 'upload_failed' })
  expect(waits()).toBe(7)
  await ill.close()

  const away = await listening(302, {})
  await expect(send(clock, `http://127.0.0.1:${away.port}`)).rejects.toMatchObject({ code: 'upload_refused' })
  expect(waits()).toBe(7)
  await away.close()
})

test('a bulk message that this machine cannot read is not tried again', async () => {
  const well = await listening(200, { result: 1, data: { object: 'kept' } })
  const { clock, waits } = hurriedClock(() => {})
  const broken = {
    size: 7,
    open: function* () {
      yield Buffer.from('pic')
      throw new Error('the card was taken out')
    },
  }
  const sent = send(clock, `http://127.0.0.1:${well.port}`, broken)
  await expect(sent).rejects.toMatchObject({ code: 'upload_failed', message: 'the card was taken out' })
  expect(waits()).toBe(0)
  await well.close()
})
