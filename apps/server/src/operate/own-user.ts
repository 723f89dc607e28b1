import { execFileSync } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { OperatorFault } from './fault.ts'

/** What root makes in the data folder its server could not open: root is told to become that user. */
export async function assertOwnUser(data: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const found = await stat(data).catch(() => undefined)
  if (found === undefined || found.uid === 0) return
  throw new OperatorFault(
    `${data} is of ${nameOf(found.uid)}: runuser -u ${nameOf(found.uid)} -- mdm ${process.argv.slice(2).join(' ')}`,
  )
}

function nameOf(uid: number): string {
  try {
    return execFileSync('id', ['--name', '--user', String(uid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return `#${uid}`
  }
}
