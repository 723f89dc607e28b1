import { expect, test } from 'vitest'
import { killableServer } from '../reliability/killable.ts'
import { table } from './compare.ts'
import { soak } from './soak.ts'

test('the server says of devices what they did, when they are killed and when it is itself', async () => {
  await using server = await killableServer()
  const lines = await soak({
    call: () => server.customer,
    server: () => server.url,
    devices: 14,
    seconds: 28,
    acts: [{ at: 0.5, what: 'the server is killed and started again', run: () => server.killAndRestart() }],
  })
  expect(lines.filter(({ differing }) => differing > 0).length, table(lines)).toBe(0)
  const seen = Object.fromEntries(lines.map(({ what, simulated }) => [what, simulated]))
  expect(seen['connections']).toBeGreaterThanOrEqual(28)
  expect(seen['bytes: wifi']).toBeGreaterThan(0)
  expect(seen['battery: disconnect']).toBeGreaterThan(0)
})
