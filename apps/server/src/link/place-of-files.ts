import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { SettingsError } from '../config.ts'
import type { Config } from '../config.ts'
import { isHeard, silent_ms } from '../db/claim.ts'
import type { Deps } from '../deps.ts'
import { newKid } from '../lib/ids.ts'

/** A server that lives says so within it. */
const beat_ms = 4_000
const look_ms = 250

type Other = { kid: string; files: string; url: string | null; heard_at: Date }

/** Where this server keeps files: alike on servers that see the same ones. Null on the embedded database, which has one server. */
export async function placeOfFiles({ s3, data, database_url }: Config): Promise<string | null> {
  if (database_url === undefined) return null
  if (s3) return `bucket ${s3.url}`
  const path = join(data, 'files.id')
  await writeFile(path, newKid(), { flag: 'wx', mode: 0o600 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  return `folder ${await readFile(path, 'utf8')}`
}

/**
 * Files below MDM_DATA and two servers do not go together: what a person uploads to one the other would not find. To be called
 * while no other server starts. One that was killed a moment ago still looks alive, so it is given the time to say that it is.
 * @throws SettingsError
 */
export async function assertSameFiles(deps: Deps, files: string | null): Promise<void> {
  if (files === null) return
  const is_shared = files.startsWith('bucket ') || deps.config.data_is_shared
  const isWrong = (other: Other): boolean => other.files !== files || !is_shared
  const first = (await others(deps)).filter(isWrong)
  if (first.length === 0) return
  deps.log.info({ nodes: first.map(({ kid }) => kid) }, 'files: waiting whether servers with other files are alive')
  for (let waited = 0; waited < beat_ms; waited += look_ms) {
    await new Promise((resolve) => setTimeout(resolve, look_ms))
    const now = (await others(deps)).filter(isWrong)
    const alive = now.find((one) => {
      const before = first.find(({ kid }) => kid === one.kid)
      return !before || before.heard_at.getTime() !== one.heard_at.getTime()
    })
    if (alive) throw new SettingsError([sentence(deps.config, alive, files)])
    if (now.length === 0) return
  }
}

async function others(deps: Deps): Promise<Other[]> {
  const rows = await deps.db
    .selectFrom('node')
    .select(['kid', 'files', 'url', 'heard_at'])
    .where('kid', '<>', deps.node_kid)
    .where('files', 'is not', null)
    .where(sql<boolean>`${isHeard(silent_ms)}`)
    .execute()
  return rows.map((row) => ({ ...row, files: row.files! }))
}

function sentence({ s3 }: Config, other: Other, files: string): string {
  const who = `the server at ${other.url ?? other.kid}, which uses the same DATABASE_URL,`
  if (s3)
    return `MDM_S3_URL: ${who} keeps its files elsewhere (${other.files}). All servers of one database need the same bucket.`
  const what = 'Files below MDM_DATA and two servers do not go together'
  if (other.files === files)
    return `MDM_DATA: ${who} has the same folder. ${what}, unless it is a shared file system: then set MDM_DATA_SHARED=true on all of them.`
  return `MDM_DATA: ${who} keeps its files elsewhere (${other.files}). ${what}: give all of them one bucket (MDM_S3_URL).`
}
