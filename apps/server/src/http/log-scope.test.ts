import { expect, it } from 'vitest'
import { backgroundAtRest, wake } from '../lib/background.ts'
import type { SharedWork } from '../lib/background.ts'
import { createLog } from '../lib/log.ts'
import { testHttpServer } from '../testing/http-server.ts'

it('every line that is written for a request names it, as the reply does; work that it wakes names itself', async () => {
  const lines: Record<string, unknown>[] = []
  const log = createLog('warn', { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) })
  const w = await testHttpServer({ deps: { log: log.child({ node: 'of this test' }) } })
  try {
    const work: SharedWork = { name: 'test', every_ms: 1, at_once: 1, run: async () => log.warn({}, 'work') }
    w.deps.link.checkIn = async () => {
      await new Promise(setImmediate)
      w.deps.log.warn({}, 'deep')
      wake(w.deps, work)
      return []
    }
    const { kid, secret } = await w.device((await w.person([])).account_kid)
    const asked = () =>
      w.call('/device/check-in', {
        method: 'POST',
        headers: { authorization: `Bearer ${kid}:${secret}` },
        body: JSON.stringify({ messages: [], wait_seconds: 0, silent_seconds: 60 }),
      })
    const replies = await Promise.all([asked(), asked()])
    expect(replies.map(({ status }) => status)).toEqual([200, 200])
    await backgroundAtRest(w.deps)
    const deep = lines.filter(({ msg }) => msg === 'deep')
    expect(deep.map(({ request_kid }) => request_kid).toSorted()).toEqual(
      replies.map(({ headers }) => headers.get('x-request-id')).toSorted(),
    )
    expect(deep.every(({ node, level, time }) => node === 'of this test' && level === 40 && Boolean(time))).toBe(true)
    const done = lines.filter(({ msg }) => msg === 'work')
    expect(done.length).toBeGreaterThan(0)
    for (const line of done) expect(line).toMatchObject({ work: 'test' })
    expect(done.some((line) => 'request_kid' in line)).toBe(false)
  } finally {
    await w.close()
  }
})
