import { expect, test, vi } from 'vitest'
import { StandingReply } from '@mdm/device-link'
import { withCurrentAddresses } from './enrol.ts'
import { memoryStore } from './store.ts'

const credentials = (server: string, mqtt: string[]) => ({
  ...{ server, mqtt },
  kid: '0198c0de-1111-7abc-8def-0123456789ab',
  secret: 'ab'.repeat(32),
})
const plain = ['mqtt://mdm.example.com:1883', 'wss://mdm.example.com/mqtt']
const secure = ['wss://mdm.example.com/mqtt']
const signal = new AbortController().signal

/** A server that names `mqtt`, or does not answer. */
function answering(reply: object | undefined) {
  return vi.fn(() => Promise.resolve(StandingReply.safeParse(reply).data))
}

test('a device that was given an unencrypted address by an https server asks for the addresses of now, and keeps them', async () => {
  const store = memoryStore()
  const ask = answering({ state: 'registered', retry_after: 0, mqtt: secure })
  const found = await withCurrentAddresses(store, credentials('https://mdm.example.com/', plain), signal, ask)
  expect(found.mqtt).toEqual(secure)
  expect(await store.read('credentials')).toEqual(found)
})

test.each([
  ['that cannot be asked', 'https://mdm.example.com/', plain, undefined, 1],
  ['in quarantine', 'https://mdm.example.com/', plain, { state: 'quarantined', retry_after: 60 }, 1],
  [
    'of a server without https',
    'http://mdm.example.com/',
    plain,
    { state: 'registered', retry_after: 0, mqtt: secure },
    0,
  ],
  [
    'with encrypted addresses',
    'https://mdm.example.com/',
    secure,
    { state: 'registered', retry_after: 0, mqtt: plain },
    0,
  ],
])('a device %s keeps what it has', async (_what, server, mqtt, reply, questions) => {
  const store = memoryStore()
  const ask = answering(reply)
  expect((await withCurrentAddresses(store, credentials(server, mqtt), signal, ask)).mqtt).toEqual(mqtt)
  expect(ask).toHaveBeenCalledTimes(questions)
  expect(await store.read('credentials')).toBeUndefined()
})
