import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { selfSigned } from '../testing/certificates.ts'
import { watchFiles } from './certificate.ts'
import type { Certificate } from './certificate.ts'
import { fakeClock } from './clock.ts'
import { createLog } from './log.ts'

const folder = mkdtempSync(join(tmpdir(), 'mdm-certificate-test-'))
const paths = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
let first: Certificate
let second: Certificate
beforeAll(() => {
  first = selfSigned('first')
  second = selfSigned('second')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const put = ({ cert, key }: Certificate) => {
  writeFileSync(paths.cert, cert)
  writeFileSync(paths.key, key)
}

const told: Certificate[] = []
let errors = 0
const log = { ...createLog('silent'), error: () => void (errors += 1) } as ReturnType<typeof createLog>
beforeEach(() => {
  told.length = 0
  errors = 0
  put(first)
})
const clock = fakeClock(new Date())

test('a renewed certificate is taken when it is there as a whole', async () => {
  const watch = await watchFiles({ clock, log }, paths, (renewed) => told.push(renewed))
  writeFileSync(paths.cert, second.cert)
  await watch.look()
  await watch.look()
  // Of another key yet, and told once.
  expect({ told, errors }).toEqual({ told: [], errors: 1 })
  expect(watch.current()).toEqual(first)
  writeFileSync(paths.key, second.key)
  await clock.advance(10_000)
  expect(told).toEqual([second])
  expect(watch.current()).toEqual(second)
  watch.close()
})

test('what is no certificate, and a file that is gone, leave the one before', async () => {
  const watch = await watchFiles({ clock, log }, paths, (renewed) => told.push(renewed))
  writeFileSync(paths.cert, 'nothing')
  await watch.look()
  rmSync(paths.cert)
  await watch.look()
  expect({ told, errors }).toEqual({ told: [], errors: 2 })
  expect(watch.current()).toEqual(first)
  watch.close()
})

test('a start without a certificate that can be used says so', async () => {
  writeFileSync(paths.key, second.key)
  await expect(watchFiles({ clock, log }, paths, () => {})).rejects.toThrow('MDM_TLS_CERT and MDM_TLS_KEY')
})

test('one that has ended is none', async () => {
  const later = fakeClock(new Date(Date.now() + 3 * 86_400_000))
  await expect(watchFiles({ clock: later, log }, paths, () => {})).rejects.toThrow('ended')
})
