import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { TaskFailure } from './body.ts'
import type { OsBody, OsBuildOf } from './body.ts'
import { landInJail } from './jail.ts'
import { otherSlot, slotBook } from './slot-book.ts'
import type { Book } from './slot-book.ts'

type Options = {
  /** Of downloads and of the book. */
  dir: string
  /** Of what the tool applies. */
  format: string
  /** What runs, as the system says itself; undefined where it does not say it whole. */
  build: () => Promise<OsBuildOf | undefined>
  boot_id: () => Promise<string>
  now: () => Date
  /** Of the tool, by its name. */
  install: (file: string) => Promise<void>
  settle: (verb: 'keep' | 'leave') => Promise<void>
}

const isSame = (a: OsBuildOf | undefined, b: { version_code: number; ver: number } | undefined): boolean =>
  a !== undefined && b !== undefined && a.version_code === b.version_code && a.ver === b.ver

/**
 * A system that SWUpdate, RAUC or Mender updates: the tool and its boot loader know of slots. Whether it succeeded is judged by what
 * boots: the new version is on trial as soon as it runs. Undefined where the system does not say what it is.
 */
export async function osByTool(options: Options): Promise<OsBody | undefined> {
  const { dir, format, now } = options
  if (!(await options.build())) return undefined
  const book = slotBook(join(dir, 'state.json'))
  const read = async (): Promise<Book> => (await book.read()) ?? { active: 'a' }
  const build = async (): Promise<OsBuildOf> => {
    const runs = await options.build()
    if (!runs) throw new TaskFailure('os_failed', 'This system does not say which version it is')
    return runs
  }
  await started()

  async function started(): Promise<void> {
    const { trial } = await read()
    const boot_id = await options.boot_id()
    if (!trial || trial.boot_id === boot_id || (trial.state !== 'written' && trial.state !== 'trying')) return
    if (!isSame(await options.build(), trial.build))
      return book.leave('The device started the version before: the new one does not start or was not written', boot_id)
    const until = new Date(now().getTime() + trial.confirm_seconds * 1_000).toISOString()
    await book.save({ active: trial.slot, trial: { ...trial, state: 'trying', until, boot_id } })
  }

  return {
    formats: [format],
    build,
    land: (file) => landInJail({ root: dir, parts: join(dir, 'parts'), file: { ...file, path: '/packages' } }),
    ...book.trials,
    async write({ id, manifest: { version_code, ver }, place, confirm_seconds, note }) {
      await options.install(join(dir, place))
      const { active } = await read()
      const trial = {
        id,
        slot: otherSlot(active),
        state: 'written' as const,
        confirm_seconds,
        build: { version_code, ver },
        boot_id: await options.boot_id(),
        ...(note && { note }),
      }
      await book.save({ active, trial })
      await rm(join(dir, 'packages'), { recursive: true, force: true })
    },
    async confirm() {
      await options.settle('keep')
      await book.trials.confirm()
    },
    async roll_back(reason) {
      await options.settle('leave').finally(() => book.trials.roll_back(reason))
    },
  }
}
