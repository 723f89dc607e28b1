import { readFileSync } from 'node:fs'
import { secret_mask } from '@mdm/contract/config/sections.ts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDeps } from '../../../testing/devices.ts'
import type { TestDeps } from '../../../testing/deps.ts'
import { pkcs12, pkcs12_password } from '../../../testing/pkcs12.ts'
import { seal } from '../../../lib/sealed.ts'
import { readCertificates } from './given.ts'

let deps: TestDeps
beforeAll(async () => void (deps = await openDeps('embedded')))
afterAll(() => deps?.close())

const subject = 'O=Example Depot, CN=terminal.example.com'
const row = (private_file: string, password = pkcs12_password) => ({
  name: 'terminal',
  format: 'pkcs12',
  private_file,
  password,
})
const by = { account_kid: 'a', user_kid: 'u' }
const read = async (...rows: object[]) =>
  ((await readCertificates(deps, { certificates: rows }, null, by)) as { certificates: Record<string, string>[] })
    .certificates
const refused = {
  refusal: 'bad_input',
  fields: { 'certificates.certificates.0.private_file': { name: 'certificate' } },
}

it('a certificate is read from a PKCS#12 file, of a chain the one that the key belongs to', async () => {
  const [plain, chain] = await read(row(pkcs12.plain), row(pkcs12.chain))
  expect([plain!['subject'], chain!['subject']]).toEqual([subject, subject])
  expect(plain!['expires_at']).toMatch(/^2126-/)
  expect(chain!['expires_at']).toBe(plain!['expires_at'])
})

it('an expired certificate is taken, and says so', async () => {
  expect(await read(row(pkcs12.expired))).toMatchObject([{ subject, expires_at: '2020-01-01T00:00:00.000Z' }])
})

it.each([
  ['a wrong password', row(pkcs12.plain, 'battery-staple')],
  ['no password', row(pkcs12.plain, '')],
  ['no key', row(pkcs12.no_key)],
  ['a cipher that nobody should use any more', row(pkcs12.legacy)],
  ['a file cut short', row(pkcs12.plain.slice(0, 400))],
  ['something else', row(readFileSync(import.meta.filename).toString('base64'))],
  ['PEM that is PKCS#12', { ...row(pkcs12.plain), format: 'pem' }],
])('refuses %s at the field of the file', async (_, wrong) => {
  await expect(read(wrong)).rejects.toMatchObject(refused)
})

it('a new file of a certificate is read with the password that is kept', async () => {
  const prior = { certificates: [{ name: 'terminal', password: { sealed: await seal(deps, pkcs12_password) } }] }
  const given = { certificates: [row(pkcs12.chain, secret_mask)] }
  expect(await readCertificates(deps, given, prior, by)).toMatchObject({ certificates: [{ subject }] })
})

it('names each of several files that cannot be read', async () => {
  const fault = { name: 'certificate', details: {} }
  await expect(read(row(pkcs12.no_key), row(pkcs12.plain), row(pkcs12.plain, 'x'))).rejects.toHaveProperty('fields', {
    'certificates.certificates.0.private_file': fault,
    'certificates.certificates.2.private_file': fault,
  })
})

/** The same file, whose password is stretched two thousand million times before it is compared: that takes hours. */
function stretched(file: string): string {
  const bytes = Buffer.from(file, 'base64')
  const iterations = Buffer.from('02020800', 'hex')
  const at = bytes.length - iterations.length
  expect(bytes.subarray(at)).toEqual(iterations)
  const made = Buffer.concat([bytes.subarray(0, at), Buffer.from('02047fffffff', 'hex')])
  // What it stands in is two bytes longer: the whole, and the last part of it, whose length is one byte.
  made.writeUInt16BE(made.readUInt16BE(2) + 2, 2)
  const last = Array.from({ length: 100 }, (_, n) => n).find(
    (length) => bytes[bytes.length - length - 2] === 0x30 && bytes[bytes.length - length - 1] === length,
  )!
  made[bytes.length - last - 1] = last + 2
  return made.toString('base64')
}

it('a file whose password would be stretched for hours is refused soon, and nothing goes on reading it', async () => {
  // Read here it could not be given up.
  const readers = () => process.getActiveResourcesInfo().filter((name) => name === 'ProcessWrap').length
  const before = readers()
  const asked = expect(read(row(stretched(pkcs12.plain)))).rejects.toMatchObject(refused)
  await expect.poll(readers).toBe(before + 1)
  await asked
  await expect.poll(readers).toBe(before)
})
