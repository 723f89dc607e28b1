/**
 * Errors of the database client itself. They carry SQLSTATE codes, so that a caller who already looks at
 * `error.code` of PostgreSQL's own errors needs no second way.
 */
export class DatabaseError extends Error {
  readonly code: string
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'DatabaseError'
    this.code = code
  }
}

/** The caller waited for the database longer than the bound; its statement has not been run. */
export const databaseBusy = (waited_ms: number) =>
  new DatabaseError('55P03', `database busy: waited ${Math.round(waited_ms)} ms for another statement to end`)

/** The statement ran longer than the bound and was ended; its transaction is rolled back. */
export const statementTooLong = (ms: number) =>
  new DatabaseError('57014', `canceling statement due to statement timeout (${Math.round(ms)} ms)`)

/** The connection is lost; whether a commit in flight took effect is unknown to the caller. */
export const connectionLost = (reason: string) => new DatabaseError('08006', `database connection lost: ${reason}`)

/** The data directory or the database cannot be used as it is; the message says what to do. */
export const unusable = (message: string, cause?: unknown) => new DatabaseError('58030', message, { cause })

const unavailable_codes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '53000',
  '53200',
  '53300',
  '53400',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '25P03',
  // Read-only: it is being moved, or PostgreSQL has become a standby.
  '25006',
])

const unavailable_messages =
  /timeout exceeded when trying to connect|connection timeout|Connection terminated|not queryable|Cannot use a pool after/

const disk_full_codes = new Set(['ENOSPC', 'EDQUOT', '53100'])

/** Is there no room left, for files or for the database? PostgreSQL says so in several ways, and tus in its message alone. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    disk_full_codes.has(String((error as { code?: unknown }).code)) ||
    /No space left on device|ENOSPC|Disk quota exceeded/.test(error.message) ||
    isDiskFull(error.cause)
  )
}

/** Was it the disk of PostgreSQL, which need not be the one of the files? */
export function isDatabaseDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (error as { code?: unknown }).code === '53100' || isDatabaseDiskFull(error.cause)
}

/** For what is noted by the way: it is not worth failing for on a full disk. */
export function unlessDiskFull(error: unknown): void {
  if (!isDiskFull(error)) throw error
}

/** Is this "try again in a moment" (HTTP 503), as opposed to a fault in the statement? */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string' && unavailable_codes.has(code)) return true
  if (isDiskFull(error)) return true
  return unavailable_messages.test(error.message)
}

/** A row of a time that has no partition: while the clock is in doubt, that is put right within moments. */
export const isWithoutPartition = (error: unknown): boolean =>
  error instanceof Error && error.message.startsWith('no partition of relation')
