// Makes one difference between two packages. Whatever the packages do to this process, the server stays.
import { setPriority } from 'node:os'
import { ApkError } from '../lib/apk/source.ts'
import { makeDelta } from '../lib/os-delta/make.ts'
import type { FromDeltaMaker, ToDeltaMaker } from './delta-messages.ts'
import { watchOver } from './serve.ts'

const say = (said: FromDeltaMaker): void => void process.send?.(said, () => {})

async function make({ limits, ...paths }: ToDeltaMaker): Promise<void> {
  let told = -1
  const on_progress = (percent: number) => {
    const whole = Math.min(99, Math.floor(percent))
    if (whole > told) say({ kind: 'progress', percent: (told = whole) })
  }
  try {
    watchOver(limits)
    say({ kind: 'done', facts: await makeDelta({ ...paths, on_progress }) })
  } catch (error) {
    if (error instanceof ApkError) return say({ kind: 'invalid', reason: error.reason, message: error.message })
    say({ kind: 'broken', stack: String((error as Error).stack), code: (error as NodeJS.ErrnoException).code })
  }
}

try {
  setPriority(10)
} catch {
  // Some systems forbid it.
}
process.on('disconnect', () => process.exit())
process.once('message', (said: ToDeltaMaker) => void make(said))
