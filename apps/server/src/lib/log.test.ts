import { contract } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { isSecretName, safeUrl, withoutSecrets } from './log.ts'

it.each([
  ['/api/x?AccessToken=abc&lang=en', '/api/x?AccessToken=***&lang=en'],
  ['/api/x?%41ccessToken=abc', '/api/x?%41ccessToken=***'],
  ['/api/x?lang=en&acces%73toke%6E=abc', '/api/x?lang=en&acces%73toke%6E=***'],
  ['/api/x?%2541ccessToken=abc', '/api/x?%2541ccessToken=***'],
  ['/api/x?%zz=abc', '/api/x?%zz=***'],
  ['/api/x?a=1;token=abc', '/api/x?a=1;token=***'],
  ['https://mdm.example/enrol?qr=abc', 'https://mdm.example/enrol?qr=***'],
  ['/files/1?name=a.txt&sig=abc#x', '/files/1?name=a.txt&sig=***#x'],
  ['/api/terminal/get?kid=1', '/api/terminal/get?kid=1'],
])('%s is written down as %s', (url, safe) => {
  expect(safeUrl(url)).toBe(safe)
})

it('the log keeps no secret of what was sent or answered, whatever it is nested in', () => {
  let deep: object = { password: 'hidden-1' }
  for (let n = 0; n < 12; n += 1) deep = { deep }
  const kept = withoutSecrets({
    ...deep,
    registration_code: 'hidden-2',
    terminalDtos: [{ sn: 'SN-1', verification_code: 'hidden-3' }],
    content: 'https://mdm.example/enrol?qr=hidden-4',
    url: 'https://mdm.example/files/a?sig=hidden-5',
    webhook: 'https://user:hidden-6@hooks.example/x?access_token=hidden-7',
    admin_extras: { license: 'hidden-8' },
    lock: { pin: 'hidden-9' },
  })
  expect(JSON.stringify(kept)).not.toContain('hidden')
  expect(kept).toMatchObject({
    terminalDtos: [{ sn: 'SN-1' }],
    webhook: 'https://user:***@hooks.example/x?access_token=***',
  })
})

/** Names that look like a secret's and are none. */
const harmless = new Set([
  'access_code',
  'authentication',
  'authenticatorAttachment',
  'authenticatorData',
  'base_uid_code',
  'bom_code',
  'download_url',
  'pac_url',
  'public_key',
  'reserve_code',
  'signature_checksum',
  'signature_scheme',
  'version_code',
])

it('knows every secret field of the calls that are recorded', () => {
  const names = new Set<string>()
  const gather = (schema: unknown): void => {
    if (schema === null || typeof schema !== 'object') return
    for (const [key, part] of Object.entries(schema)) {
      if (key === 'properties') for (const name of Object.keys(part as object)) names.add(name)
      gather(part)
    }
  }
  for (const { calls } of Object.values(contract))
    for (const call of Object.values(calls) as Call[])
      if (call.effect === 'write')
        for (const io of ['input', 'output'] as const) gather(z.toJSONSchema(call[io], { io, unrepresentable: 'any' }))
  const suspect = /pass|token|secret|pin$|claim|^sig(nature)?_|auth|cred|otp|_code$|_key$|_text$|_url$/
  const unmasked = [...names].filter((name) => suspect.test(name) && !isSecretName(name) && !harmless.has(name))
  expect(names.has('verification_code')).toBe(true)
  expect(unmasked).toEqual([])
})
