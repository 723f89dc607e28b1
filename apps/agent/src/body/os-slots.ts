import { createWriteStream } from 'node:fs'
import { cp, mkdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openPromise } from 'yauzl'
import type { Entry, ZipFile } from 'yauzl'
import * as z from 'zod'
import { TaskFailure } from './body.ts'
import type { OsBody, OsBuildOf, OsWrite } from './body.ts'
import { landInJail } from './jail.ts'
import { applyDelta } from './os-delta.ts'
import { isDiskFull } from './failures.ts'
import { otherSlot, readJson, slotBook, writeDurably } from './slot-book.ts'
import type { Book, Slot } from './slot-book.ts'

const Build = z.object({ uid: z.string(), os_version: z.string(), version_code: z.number(), ver: z.number() })
const content = 'DOWNLOAD/'
/** In a difference: the files of the version before that the new one has no more, a path on each line. */
const removed_list = '.removed'
const link_type = 0o120000
const type_mask = 0o170000

/**
 * Slots as folders: `a` and `b` hold a system each with its `os.json`, `state.json` says which one runs. That file changes in
 * one step, after all that it speaks of is on the disk; so whenever this stops, the one that runs is whole. `running` is the slot
 * that the boot loader started, where it says so.
 */
export async function osSlots(
  dir: string,
  now: () => Date,
  boot_id: () => Promise<string>,
  running: () => Promise<Slot | undefined> = async () => undefined,
): Promise<OsBody | undefined> {
  const book = slotBook(join(dir, 'state.json'))
  const buildOf = async (slot: Slot) => Build.safeParse(await readJson(join(dir, slot, 'os.json'))).data
  const readState = async (): Promise<Book | undefined> =>
    (await book.read()) ?? ((await buildOf('a')) ? { active: 'a' } : undefined)
  const state = async (): Promise<Book> => (await readState()) ?? { active: 'a' }

  const first = await readState()
  if (!first) return undefined
  await started()

  /** What a boot loader does: the slot that was written is tried once; one that restarts unconfirmed is left. */
  async function started(): Promise<void> {
    const { active, trial } = await state()
    if (!trial) return
    const boot = await boot_id()
    if (boot === trial.boot_id) return
    if (trial.state === 'written' && (await running()) === active)
      await book.leave('The boot loader started the version before: the new one does not start', boot)
    else if (trial.state === 'written') {
      const until = new Date(now().getTime() + trial.confirm_seconds * 1_000).toISOString()
      await book.save({ active: trial.slot, trial: { ...trial, state: 'trying', until, boot_id: boot } })
    } else if (trial.state === 'trying')
      await book.leave('The device restarted before the new version reached the server', boot)
  }

  async function fill(slot: Slot, { manifest, part, place }: OsWrite, from: Slot, signal: AbortSignal): Promise<void> {
    const folder = join(dir, slot)
    const running = join(dir, from)
    await rm(folder, { recursive: true, force: true })
    if (part.from !== null && !part.is_delta) await cp(running, folder, { recursive: true, verbatimSymlinks: true })
    else await mkdir(folder, { recursive: true, mode: 0o700 })
    if (part.is_delta) await applyDelta({ path: join(dir, place), from: running, to: folder, signal })
    else await putOver(join(dir, place), folder, signal)
    const { uid, os_version, version_code, ver } = manifest
    await writeDurably(
      join(folder, 'os.json'),
      JSON.stringify({ uid, os_version, version_code, ver } satisfies OsBuildOf),
    )
  }

  return {
    formats: ['zip'],
    async build() {
      const { active } = await state()
      const build = await buildOf(active)
      if (!build) throw new TaskFailure('os_failed', `${join(dir, active, 'os.json')} cannot be read`)
      return build
    },
    land: (file) => landInJail({ root: dir, parts: join(dir, 'parts'), file: { ...file, path: '/packages' } }),
    ...book.trials,
    async write(of, signal) {
      const { active } = await state()
      const slot = otherSlot(active)
      await fill(slot, of, active, signal).catch(async (error: unknown) => {
        // A half-written slot is of no use, and may be what fills the disk.
        if (isDiskFull(error)) await rm(join(dir, slot), { recursive: true, force: true })
        throw error
      })
      signal.throwIfAborted()
      const { id, confirm_seconds, note } = of
      const trial = {
        id,
        slot,
        state: 'written' as const,
        confirm_seconds,
        boot_id: await boot_id(),
        ...(note && { note }),
      }
      await book.save({ active, trial })
      await rm(join(dir, 'packages'), { recursive: true, force: true })
    },
  }
}

/** The files of a package, over those that are there. */
async function putOver(path: string, folder: string, signal: AbortSignal): Promise<void> {
  await unpack(path, folder, signal)
  for (const gone of await removedIn(folder)) await rm(join(folder, ...stepsOf(gone)), { recursive: true, force: true })
  await rm(join(folder, removed_list), { force: true })
}

async function unpack(path: string, folder: string, signal: AbortSignal): Promise<void> {
  let zip: ZipFile | undefined
  try {
    zip = await openPromise(path, { autoClose: false })
    for await (const entry of zip.eachEntry()) {
      signal.throwIfAborted()
      await put(zip, entry, folder)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TaskFailure || (error as NodeJS.ErrnoException).syscall !== undefined) throw error
    throw new TaskFailure('package_broken', (error as Error).message)
  } finally {
    zip?.close()
  }
}

async function put(zip: ZipFile, entry: Entry, folder: string): Promise<void> {
  const { fileName: name } = entry
  const is_link = ((entry.externalFileAttributes >>> 16) & type_mask) === link_type
  if (!name.startsWith(content) || is_link) throw new TaskFailure('package_broken', `${name} has no place in a package`)
  const steps = stepsOf(name.slice(content.length))
  const place = join(folder, ...steps)
  if (name.endsWith('/')) return void (await mkdir(place, { recursive: true }))
  await mkdir(dirname(place), { recursive: true })
  await rm(place, { recursive: true, force: true })
  await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(place, { flush: true, mode: 0o644 }))
}

/** The signed archive is not believed to stay in its folder. */
function stepsOf(path: string): string[] {
  const steps = path.split('/').filter((step) => step !== '')
  if (steps.some((step) => step === '.' || step === '..' || /[\\\p{Cc}]/u.test(step)))
    throw new TaskFailure('package_broken', `${path} leaves the folder of the system`)
  return steps
}

const removedIn = async (folder: string): Promise<string[]> =>
  (await readFile(join(folder, removed_list), 'utf8').catch(() => '')).split('\n').filter((line) => line.trim() !== '')
