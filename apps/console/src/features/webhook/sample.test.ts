import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { sample } from './sample.ts'

type Headers = Record<string, string>
const { isGenuine } = (await import(
  /* @vite-ignore */ `data:text/javascript;base64,${Buffer.from(sample).toString('base64')}`
)) as { isGenuine: (secret: string, headers: Headers, body: string) => boolean }

const key = randomBytes(32)
const secret = `whsec_${key.toString('base64')}`
const body = '{"id":"1","message":"Đã lưu"}'
function signed(at = Date.now()): Headers {
  const time = String(Math.floor(at / 1000))
  const signature = createHmac('sha256', key).update(`1.${time}.${body}`).digest('base64')
  return { 'webhook-id': '1', 'webhook-timestamp': time, 'webhook-signature': `v1,${signature}` }
}

test('the sample code accepts a delivery that was signed, and no other', () => {
  expect(isGenuine(secret, signed(), body)).toBe(true)
  const both = signed()
  both['webhook-signature'] = `v1,AAAA ${both['webhook-signature']}`
  expect(isGenuine(secret, both, body)).toBe(true)
  expect(isGenuine(secret, signed(), `${body} `)).toBe(false)
  expect(isGenuine(`whsec_${randomBytes(32).toString('base64')}`, signed(), body)).toBe(false)
  expect(isGenuine(secret, { ...signed(), 'webhook-id': '2' }, body)).toBe(false)
  expect(isGenuine(secret, signed(Date.now() - 10 * 60_000), body)).toBe(false)
  expect(isGenuine(secret, {}, body)).toBe(false)
})
