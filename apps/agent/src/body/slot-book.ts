import { open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import * as z from 'zod'
import type { Trial, Trials } from './body.ts'

export const Slot = z.enum(['a', 'b'])
export type Slot = z.infer<typeof Slot>
const Book = z.object({
  active: Slot,
  trial: z
    .object({
      id: z.string(),
      slot: Slot,
      state: z.enum(['written', 'trying', 'confirmed', 'rolled_back']),
      confirm_seconds: z.number(),
      until: z.string().optional(),
      reason: z.string().optional(),
      note: z.string().optional(),
      boot_id: z.string().optional(),
      pid: z.number().optional(),
      build: z.object({ version_code: z.number(), ver: z.number() }).optional(),
    })
    .optional(),
})
export type Book = z.infer<typeof Book>

export const otherSlot = (slot: Slot): Slot => (slot === 'a' ? 'b' : 'a')

/**
 * What is known of two slots and of the version that is tried in one of them: of an operating system, or of the agent itself. The file
 * changes in one step, after all that it speaks of is on the disk.
 */
export function slotBook(path: string) {
  const read = async (): Promise<Book | undefined> => Book.safeParse(await readJson(path)).data
  const save = (book: Book) => writeDurably(path, JSON.stringify(book))
  /** Whatever is tried is left, and why. */
  async function leave(reason: string, boot_id?: string): Promise<void> {
    const book = await read()
    if (!book?.trial) return
    const trial = { ...book.trial, state: 'rolled_back' as const, reason, ...(boot_id !== undefined && { boot_id }) }
    await save({ active: otherSlot(trial.slot), trial })
  }
  const trials: Trials = {
    async trial(): Promise<Trial | undefined> {
      const trial = (await read())?.trial
      if (!trial) return undefined
      const { slot: _slot, boot_id: _boot, pid: _pid, build: _build, ...shown } = trial
      return shown
    },
    async confirm() {
      const trial = (await read())?.trial
      if (trial?.state === 'trying') await save({ active: trial.slot, trial: { ...trial, state: 'confirmed' } })
    },
    async roll_back(reason) {
      if ((await read())?.trial?.state === 'trying') await leave(reason)
    },
  }
  return { read, save, leave, trials }
}

export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}

export async function writeDurably(path: string, text: string): Promise<void> {
  const beside = `${path}.new`
  const file = await open(beside, 'w', 0o600)
  await file.writeFile(text)
  await file.sync()
  await file.close()
  await rename(beside, path)
  await syncFolder(dirname(path))
}

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}
