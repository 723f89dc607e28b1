import { TaskFailure } from './body.ts'

/** What a system says of an error, and a browser by the name of one. */
type SystemError = { code?: unknown; name?: unknown; syscall?: unknown; path?: unknown }
const of = (error: unknown): SystemError => Object(error) as SystemError

export const isDiskFull = (error: unknown): boolean =>
  ['ENOSPC', 'EDQUOT'].includes(String(of(error).code)) || of(error).name === 'QuotaExceededError'

/** A system that refuses a path says why. */
const refusedBySystem: Record<string, string> = {
  EROFS: 'the disk can only be read',
  EACCES: 'the agent has no right to it',
  EPERM: 'the agent has no right to it',
  ENAMETOOLONG: 'the name is too long',
  ENOTDIR: 'a file stands where a folder has to be',
}

/** Whatever a task or a request writes, a disk that is full says the same. */
export function asFailure(error: unknown): TaskFailure {
  if (error instanceof TaskFailure) return error
  if (isDiskFull(error)) return new TaskFailure('no_space', 'No space left on this device')
  const { code, syscall, path } = of(error)
  const reason = refusedBySystem[String(code)]
  if (reason !== undefined && syscall !== undefined)
    return new TaskFailure('bad_path', `${String(path ?? syscall)}: ${reason}`)
  return new TaskFailure('internal', error instanceof Error ? error.message : String(error))
}

export const noSpace = (what: string, needed: number, room: number): TaskFailure =>
  new TaskFailure('no_space', `${what}: ${needed} bytes are needed, there is room for ${Math.max(0, Math.floor(room))}`)
