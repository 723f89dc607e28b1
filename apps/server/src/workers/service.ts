import type { ErrorName } from '@mdm/contract'
import type { Deps } from '../deps.ts'
import { Refusal, refuse } from '../refusal.ts'
import type { Ctx } from '../http/context.ts'
import type { ByteSource } from '../lib/apk/source.ts'
import { ownProcess } from '../lib/own-process.ts'
import { carryOut } from './reader.ts'
import type { Tasks } from './tasks.ts'
import type { Requester } from './turns.ts'
import type { TaskLimits } from './reader-messages.ts'

export type { Requester } from './turns.ts'

/** `broken` and `killed` are what is said when the file broke the reader, and when it made it do too much. */
type Rule = { limits: TaskLimits; broken: ErrorName; killed: ErrorName }
// Twice what the largest sheet takes that is read.
const sheet: Rule = {
  limits: { cpu_ms: 10_000, mebibytes: 192, clock_ms: 60_000 },
  broken: 'sheet_damaged',
  killed: 'sheet_beyond_limits',
}
// All of it is read or unpacked once, piece by piece; nothing is kept.
const os: Rule = {
  limits: { cpu_ms: 120_000, mebibytes: 128, clock_ms: 600_000 },
  broken: 'os_package_invalid',
  killed: 'os_package_beyond_limits',
}
const rules: Record<keyof Tasks, Rule> = {
  table: sheet,
  information: sheet,
  values: sheet,
  signer: {
    limits: { cpu_ms: 5_000, mebibytes: 128, clock_ms: 60_000 },
    broken: 'apk_invalid',
    killed: 'apk_beyond_limits',
  },
  os_package: os,
  os_image: os,
  // Decoded whole, 4 bytes a pixel and once more while its lines are put right.
  picture: {
    limits: { cpu_ms: 10_000, mebibytes: 384, clock_ms: 60_000 },
    broken: 'os_picture_invalid',
    killed: 'os_picture_invalid',
  },
  // All files of a section together: stretching their passwords is what takes long.
  pkcs12: {
    limits: { cpu_ms: 3_000, mebibytes: 96, clock_ms: 60_000 },
    broken: 'bad_input',
    killed: 'bad_input',
  },
  // All of it is unpacked once, piece by piece. A part of a split package is unpacked into memory, up to 64 MiB of it,
  // beside a table of up to 32 MiB.
  package: {
    limits: { cpu_ms: 60_000, mebibytes: 192, clock_ms: 180_000 },
    broken: 'apk_invalid',
    killed: 'apk_beyond_limits',
  },
}
/**
 * V8 gives up before the process as a whole is too large. Its room for what is new is 16 MiB by itself, twice, which sheets
 * fill with what is garbage at once: 1 MiB saves 31 of 104 MiB, and no time.
 */
const heap = ['--max-old-space-size=192', '--max-semi-space-size=1']

/** An actor, with the call that is made where there is one: when its client disconnects, the reading ends. */
export type WithRequest = Pick<Ctx, 'account_kid' | 'user'> & Partial<Pick<Ctx, 'request'>>
export const requesterOf = ({ account_kid, user, request }: WithRequest): Requester => ({
  account_kid,
  user_kid: user.kid,
  signal: request?.clientGone?.(),
})

/** Reads a file that a stranger made, in a process of its own. Throws only refusals. */
export async function inWorker<Name extends keyof Tasks>(
  deps: Deps,
  name: Name,
  input: Parameters<Tasks[Name]>[1],
  source: ByteSource,
  requester: Requester,
): Promise<Awaited<ReturnType<Tasks[Name]>>> {
  const { limits, broken, killed } = rules[name]
  const ended = await deps.memory
    .file_turns(requester, () => {
      const child = ownProcess(import.meta.url, 'file-reader', {
        execArgv: heap,
        is_silent: true,
      })
      return carryOut(child, { name, input, source, limits }, requester.signal)
    })
    .catch((error: unknown) => {
      // The client has disconnected; the reply has no reader.
      if (requester.signal?.aborted) throw new Refusal('unavailable')
      throw error
    })
  if (ended.kind === 'done') return ended.value as Awaited<ReturnType<Tasks[Name]>>
  if (ended.kind === 'not_begun') {
    deps.log.error({ task: name }, 'a process to read a file could not be started')
    return refuse('unavailable')
  }
  deps.log.warn({ task: name, account_kid: requester.account_kid, bytes: source.size, ...ended }, 'a file was not read')
  return refuse(ended.kind === 'killed' ? killed : broken)
}
