import { createWriteStream } from 'node:fs'
import { createHash } from 'node:crypto'
import { mkdir, open, rename, stat, writeFile } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { OsBuildBytes, OsBuildStep } from '@mdm/contract'
import { ObjectMissing } from '../../../../files/object-store.ts'
import { takeSpace } from '../../../../files/upload-space.ts'
import { refuse } from '../../../../refusal.ts'
import { inWorker } from '../../../../workers/service.ts'
import { packInProcess } from '../../../../workers/pack.ts'
import { insertBuilt } from '../../os-version/index.ts'
import { ClaimLost } from '../../../../db/claim.ts'
import { moveCustom } from './job.ts'
import type { Job } from './job.ts'
import { entriesOf, itemsOf, layersOf, packageIn, textsOf } from './layout.ts'
import { note } from '../locked-custom.ts'

type Copied = OsBuildBytes & { what: string; path: string }
const sizeAt = async (path: string): Promise<number | undefined> => (await stat(path).catch(() => undefined))?.size

/**
 * The steps of a build. Each may be begun again at any time, and does first what earlier ones left undone: a server that was
 * killed, or another machine, finds some of the files or none.
 */
export const steps: Record<OsBuildStep, (job: Job) => Promise<void>> = {
  /** The packages of the base version, each checked against its digest. */
  downloading: (job) => copyAll(job, layersOf(job.build.inputs, job.folder)),

  /** What the customer put into it, and the texts that say so. */
  async preparing(job) {
    const { inputs } = job.build
    await copyAll(job, itemsOf(inputs, job.folder))
    for (const { file, text } of textsOf(inputs)) await writeFile(`${job.folder}/${file}`, text)
    for (const section of inputs.configuration?.left_out ?? []) await job.line('config_left_out', { section })
  },

  async packaging(job) {
    const { deps, build, folder, signal } = job
    await ensurePackage(job)
    const target = packageIn(folder)
    const size = (await sizeAt(target))!
    const file = await open(target, 'r')
    try {
      const source = {
        size,
        read: async (start: number, length: number) => {
          const bytes = Buffer.alloc(length)
          const { bytesRead } = await file.read(bytes, 0, length, start)
          return bytes.subarray(0, bytesRead)
        },
      }
      // By the same rules as every package: what it is made of was checked, what it became is checked as well.
      const requester = { account_kid: build.account_kid, user_kid: build.kid, signal, on_place: tellPlace(job) }
      const { files } = await inWorker(deps, 'os_package', {}, source, requester)
      await job.line('checked', { files, size })
    } finally {
      await file.close()
    }
  },

  /** Into the store of objects, and onto the account's space. */
  async uploading(job) {
    const { deps, build, folder } = job
    // Moved by a server that died before it could say so.
    let info = await deps.objects.info(build.kid)
    if (!info) {
      if ((await sizeAt(packageIn(folder))) === undefined) await ensurePackage(job)
      const held_bytes = (await sizeAt(packageIn(folder)))!
      await hold(job, { held_bytes })
      info = await deps.objects.adopt(build.kid, packageIn(folder))
    }
    await hold(job, { ...info, held_bytes: info.size })
    Object.assign(build, info)
    await job.line('stored', { size: info.size, sha256: info.sha256 })
  },

  /** "Starting the launcher": it becomes an OS version of the customer, which can be released (docs/decisions/041). */
  async launching(job) {
    const { deps, build } = job
    if (!(await deps.objects.info(build.kid))) await steps.uploading(job)
    const info = (await deps.objects.info(build.kid))!
    await deps.db.transaction().execute(async (trx) => {
      const row = await trx
        .selectFrom('os_build')
        .innerJoin('os_custom', 'os_custom.kid', 'os_build.os_custom_kid')
        .select(['os_custom.uid_kid', 'os_custom.name'])
        .where('os_build.kid', '=', build.kid)
        .where('os_build.worked_by', '=', build.worked_by)
        .where('os_build.state', '=', 'running')
        .forUpdate('os_build')
        .executeTakeFirst()
      // Canceled in this very moment: whoever did it removes what was built.
      if (!row) throw new ClaimLost('the build is not ours any more')
      const os_version_kid = await insertBuilt(trx, deps, {
        uid_kid: row.uid_kid,
        account_kid: build.account_kid,
        os_version: build.os_version,
        version_code: build.version_code,
        ver: build.ver,
        description: row.name,
        file_name: build.file_name,
        object: build.kid,
        info,
        by: { kid: build.created_by_kid, name: build.created_by },
      })
      await trx
        .updateTable('os_build')
        .set({
          state: 'completed',
          progress: 100,
          os_version_kid,
          size: info.size,
          md5: info.md5,
          sha256: info.sha256,
          fault: null,
          ended_at: deps.clock.now(),
        })
        .where('kid', '=', build.kid)
        .execute()
      await moveCustom(trx, build.os_custom_kid, 'succeed')
      await note(trx, { deps }, build, {
        step: 'launching',
        event: 'registered',
        details: { version: build.os_version },
      })
    })
  },
}

/**
 * Takes of the account's space what the build is made of, before any of it is copied: its folder lies on the server's disk as long
 * as it runs. What it has become counts instead once that is known. @throws `storage_exceeded`
 */
export async function reserve(job: Job): Promise<void> {
  const { inputs, held_bytes } = job.build
  if (held_bytes > 0) return
  const copied = [...layersOf(inputs, job.folder), ...itemsOf(inputs, job.folder)]
  await hold(job, { held_bytes: copied.reduce((sum, { size }) => sum + size, 0) })
}

/** Says in the log that the build waits for its turn, once: the place in the line when it joined it. */
function tellPlace({ deps, line }: Job): (place: number) => void {
  let is_told = false
  return (place) => {
    if (is_told) return
    is_told = true
    line('waiting_turn', { place }).catch((error: unknown) => deps.log.warn({ err: error }, 'a place was not noted'))
  }
}

/** Takes of the account's space. The build is locked before the space is, as by whoever cancels it. @throws `storage_exceeded` */
const hold = ({ deps, build, set }: Job, held: Parameters<Job['set']>[0]): Promise<void> =>
  deps.db.transaction().execute(async (trx) => {
    await trx.selectFrom('os_build').select('kid').where('kid', '=', build.kid).forUpdate().execute()
    await takeSpace(trx, { deps, account_kid: build.account_kid }, 'file_disk', () => set(held, trx))
  })

async function copyAll(job: Job, all: readonly Copied[]): Promise<void> {
  await mkdir(job.folder, { recursive: true, mode: 0o700 })
  const total = all.reduce((sum, { size }) => sum + size, 0)
  let before = 0
  for (const one of all) {
    if ((await sizeAt(one.path)) === undefined) {
      await copy(job, one, (done) => job.progress(before + done, total))
      await job.line('copied', { name: one.what, size: one.size })
    }
    before += one.size
  }
}

/** A file of this name has been checked: it gets it last. */
async function copy(job: Job, { object, path, size, sha256, what }: Copied, on_bytes: (done: number) => void) {
  const digest = createHash('sha256')
  let done = 0
  const counted = new Transform({
    transform(piece: Buffer, _encoding, next) {
      digest.update(piece)
      done += piece.length
      on_bytes(done)
      next(null, piece)
    },
  })
  try {
    const from = await job.deps.objects.read(object)
    await pipeline(from, counted, createWriteStream(`${path}.part`, { mode: 0o600 }), { signal: job.signal })
  } catch (error) {
    job.signal.throwIfAborted()
    if (error instanceof ObjectMissing) refuse('os_custom_item_gone', { name: what })
    throw error
  }
  // Other bytes under the same key: the store has lost them.
  if (done !== size || digest.digest('hex') !== sha256) refuse('os_custom_item_gone', { name: what })
  await rename(`${path}.part`, path)
}

async function ensurePackage(job: Job): Promise<void> {
  const { deps, build, folder, signal } = job
  const target = packageIn(folder)
  if ((await sizeAt(target)) !== undefined) return
  await steps.downloading(job)
  await copyAll(job, itemsOf(build.inputs, folder))
  const texts = textsOf(build.inputs)
  for (const { file, text } of texts) await writeFile(`${folder}/${file}`, text)
  const files = [
    ...entriesOf(build.inputs, folder),
    ...texts.map(({ name, file, text }) => ({
      name,
      path: `${folder}/${file}`,
      size: Buffer.byteLength(text),
      is_packed: true,
    })),
  ]
  const layers = layersOf(build.inputs, folder).map(({ path }) => path)
  const { entries, bytes } = await packInProcess(
    deps,
    { layers, files, target },
    { signal, on_progress: (done, total) => job.progress(done, total) },
  )
  await job.line('packed', { entries, bytes })
}
