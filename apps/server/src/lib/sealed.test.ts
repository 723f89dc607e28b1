import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { newMemory } from '../memory.ts'
import { SettingsError } from '../config.ts'
import { readFileKey } from '../files/signature.ts'
import { testDeps } from '../testing/deps.ts'
import type { TestDeps } from '../testing/deps.ts'
import { newSecret } from './ids.ts'
import { assertSecretKey, keyedDigest, seal, unseal } from './sealed.ts'

let base: TestDeps
beforeEach(async () => void (base = await testDeps()))
afterEach(() => base.close())
/** The same database and folder as another server, or a later start, sees them. */
const again = (secret_key?: string, data = base.config.data) => ({
  ...base,
  memory: newMemory(),
  config: { ...base.config, data, secret_key },
})
const problem = async (run: Promise<unknown>): Promise<string> => {
  const error = await run.then(
    () => undefined,
    (e: unknown) => e,
  )
  expect(error).toBeInstanceOf(SettingsError)
  return (error as SettingsError).message
}

it('a sealed secret is read again, also after a restart, and never looks the same twice', async () => {
  const text = 'JBSWY3DPEHPK3PXP – bí mật'
  const [one, two] = [await seal(base, text), await seal(base, text)]
  expect(one).not.toBe(two)
  expect(one).not.toContain('JBSW')
  expect(await unseal(base, one)).toBe(text)
  expect(await unseal(again(), two)).toBe(text)
})

it('a changed, cut or foreign text is refused', async () => {
  const sealed = await seal(base, 'secret')
  const bytes = Buffer.from(sealed.slice(3), 'base64url')
  for (const at of [0, 12, bytes.length - 1]) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    await expect(unseal(base, `v1.${changed.toString('base64url')}`)).rejects.toThrow()
  }
  for (const other of ['', 'secret', 'v1.', 'v1.AAAA', `v2.${sealed.slice(3)}`])
    await expect(unseal(base, other)).rejects.toThrow()
})

it('the key is a file for its owner alone, made at first need, by one of several who start at once', async () => {
  const path = join(base.config.data, 'secret.key')
  await assertSecretKey(base)
  await expect(stat(path)).rejects.toThrow()
  const servers = Array.from({ length: 5 }, () => again())
  const sealed = await Promise.all(servers.map((deps, i) => seal(deps, `text ${i}`)))
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readFile(path, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/)
  for (const [i, text] of sealed.entries()) expect(await unseal(base, text)).toBe(`text ${i}`)
})

it('a start with another key, without the key or with one that others may read is refused', async () => {
  const path = join(base.config.data, 'secret.key')
  await seal(base, 'x')
  const key = await readFile(path, 'utf8')
  await assertSecretKey(again())
  await assertSecretKey(again(key.trim()))
  expect(await problem(assertSecretKey(again(newSecret())))).toContain('MDM_SECRET_KEY: this is not the key')
  await chmod(path, 0o644)
  expect(await problem(assertSecretKey(again()))).toContain(`chmod 600 ${path}`)
  await writeFile(path, 'nonsense')
  await chmod(path, 0o600)
  expect(await problem(assertSecretKey(again()))).toContain('64 hexadecimal characters')
  await rm(path)
  expect(await problem(assertSecretKey(again()))).toContain('cannot be read')
  await expect(stat(path)).rejects.toThrow()
  expect(await problem(seal(again(newSecret()), 'y'))).toContain('not the key')
  await writeFile(path, key, { mode: 0o600 })
  await assertSecretKey(again())
})

it('a hash of something short is worth nothing without the key', async () => {
  const hash = await keyedDigest(base, 'abcd')
  expect(hash).toMatch(/^[0-9a-f]{64}$/)
  expect(await keyedDigest(again(), 'abcd')).toBe(hash)
  const other = await testDeps()
  expect(await keyedDigest(other, 'abcd')).not.toBe(hash)
  await other.close()
})

it('the key of download addresses is kept sealed, and is the same after a restart', async () => {
  const kept = async () =>
    JSON.stringify(await base.db.selectFrom('setting').selectAll().where('key', '=', 'file_key').execute())
  await base.db.deleteFrom('setting').where('key', '=', 'file_key').execute()
  const fresh = (await readFileKey(base)).toString('hex')
  expect((await readFileKey(again())).toString('hex')).toBe(fresh)
  expect(await kept()).not.toContain(fresh)
})
