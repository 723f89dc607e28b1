import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { chmod, link, open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SettingsError } from '../config.ts'
import type { Deps } from '../deps.ts'
import { sameBytes } from './ids.ts'

export type Sealing = Pick<Deps, 'config' | 'db' | 'memory'>

const version = 'v1'
const ivBytes = 12
const tagBytes = 16

/** Encrypts what the server must be able to read again (AES-256-GCM): a copy of the database alone is worth nothing. */
export async function seal(deps: Sealing, text: string): Promise<string> {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', await keyOf(deps), iv)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return `${version}.${Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')}`
}

/** Throws when it was not sealed with this key, or was changed since. */
export async function unseal(deps: Sealing, sealed: string): Promise<string> {
  const [scheme, content = ''] = sealed.split('.')
  const bytes = Buffer.from(content, 'base64url')
  if (scheme !== version || bytes.length < ivBytes + tagBytes) throw new Error('this is not a sealed text')
  const decipher = createDecipheriv('aes-256-gcm', await keyOf(deps), bytes.subarray(0, ivBytes))
  decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8')
}

/** Hash of a secret that people can type: without the key it cannot be guessed by trial. */
export const keyedDigest = async (deps: Sealing, secret: string): Promise<string> =>
  createHmac('sha256', await keyOf(deps))
    .update(secret)
    .digest('hex')

/**
 * Refuses a key other than the one this database's secrets are sealed with. Throws SettingsError. Before the first
 * secret there is nothing to compare with.
 */
export async function assertSecretKey(deps: Sealing): Promise<void> {
  if (await fingerprintOfDatabase(deps)) await keyOf(deps)
}

/** Each finds it for itself until one has: a transaction that waits for a finder outside of it would wait for ever. */
async function keyOf(deps: Sealing): Promise<Buffer> {
  // A failure is not kept: once the right file is in its place no restart is needed.
  return (deps.memory.sealing_key ??= await findKey(deps))
}

async function findKey(deps: Sealing): Promise<Buffer> {
  const { secret_key, data } = deps.config
  const path = join(data, 'secret.key')
  const is_first = (await fingerprintOfDatabase(deps)) === undefined
  if (secret_key === undefined && is_first) await makeKeyFile(path)
  const key = secret_key === undefined ? await readKeyFile(path) : Buffer.from(secret_key, 'hex')
  const fingerprint = createHmac('sha256', key).update('fingerprint').digest()
  await deps.db
    .insertInto('setting')
    .values({ key: 'secret_key', value: JSON.stringify({ fingerprint: fingerprint.toString('hex') }) })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  const expected = await fingerprintOfDatabase(deps)
  if (expected && sameBytes(expected, fingerprint)) return key
  const named = secret_key === undefined ? path : 'MDM_SECRET_KEY'
  throw new SettingsError([
    `${named}: this is not the key that the secrets in the database are sealed with. Put back the key of the first start; servers that share a database share MDM_SECRET_KEY.`,
  ])
}

async function fingerprintOfDatabase({ db }: Sealing): Promise<Buffer | undefined> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', 'secret_key').executeTakeFirst()
  return row && Buffer.from(String(row.value['fingerprint']), 'hex')
}

async function readKeyFile(path: string): Promise<Buffer> {
  const found = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new SettingsError([
      `${path} cannot be read (${error.code ?? error.message}): it holds the key that the secrets in the database are sealed with. Put it back, or set MDM_SECRET_KEY.`,
    ])
  })
  const hex = found.trim()
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new SettingsError([`${path} does not hold 64 hexadecimal characters.`])
  if (process.platform !== 'win32' && ((await stat(path)).mode & 0o077) !== 0)
    throw new SettingsError([`${path}: others on this machine may read it. Run: chmod 600 ${path}`])
  return Buffer.from(hex, 'hex')
}

/** Whole or not at all, and never over one that is there: several servers may start on one folder. */
async function makeKeyFile(path: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(`${randomBytes(32).toString('hex')}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await chmod(temporary, 0o600)
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(temporary, { force: true })
  }
}
