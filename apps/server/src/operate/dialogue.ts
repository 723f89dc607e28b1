import { sql } from 'kysely'
import type { Deps } from '../deps.ts'
import type { HeldObjects } from '../files/held-objects.ts'
import type { Ask, Answers, EndedBackup } from './asks.ts'
import type { Dialogue } from './local-socket.ts'
import { OperatorFault } from './fault.ts'
import { move } from './move/move.ts'
import type { Destination } from './move/move.ts'
import { activateServer, giveNewPassword } from './people.ts'

export type Asked = {
  deps: Deps
  hold: HeldObjects['hold']
  state(): Promise<Answers['state']>
}

/** Answers one `mdm` command. A backup that it has begun ends with the connection at the latest. */
export function dialogueOf({ deps, hold, state }: Asked): Dialogue {
  let backup: Awaited<ReturnType<typeof beginBackup>> | undefined
  const gone = new AbortController()
  async function answer(ask: Ask): Promise<Answers[Ask['ask']]> {
    switch (ask.ask) {
      case 'state':
        return state()
      case 'begin_backup':
        if (backup) throw new Error('The backup has begun already.')
        backup = await beginBackup(deps, hold)
        return { database: deps.database.kind }
      case 'end_backup':
        if (!backup) throw new Error('No backup has begun.')
        return (await backup.endOfDatabase()) ?? { label: null }
      case 'note_backup':
        return noteBackup(deps, ask)
      case 'move':
        return moveOf(deps, hold, ask.to, gone.signal)
      case 'reset_password':
        return giveNewPassword(deps, ask.username)
      case 'activate':
        return activateServer(deps, ask.code)
    }
  }
  return {
    answer: answer as Dialogue['answer'],
    gone: () => gone.abort(new OperatorFault('The command was ended: nothing has been moved.')),
    async left() {
      await backup?.end()
    },
  }
}

/** For the page that operators watch: a backup that nobody made is noticed when it is needed, else. */
async function noteBackup({ db, clock }: Deps, { bytes, files }: { bytes: number; files: number }) {
  const at = clock.now().toISOString()
  const value = JSON.stringify({ at, bytes, files })
  await db
    .insertInto('setting')
    .values({ key: 'last_backup', value })
    .onConflict((row) => row.column('key').doUpdateSet({ value }))
    .execute()
  return { at }
}

/** Files stay meanwhile, and jobs wait: a database that nobody may write to is no fault of theirs. */
async function moveOf(
  { config, database, memory, log }: Deps,
  hold: HeldObjects['hold'],
  to: Destination,
  signal: AbortSignal,
) {
  if (memory.is_moving) throw new Error('It is being moved, or was: start the server with the new settings.')
  const release = hold()
  const pause = (is_on: boolean) => void (memory.is_moving = is_on)
  try {
    return await move({ config, database, log, pause, signal }, to)
  } finally {
    await release()
  }
}

/**
 * Objects stay until the backup ends. The files of the embedded database may be copied while it works, since PostgreSQL was told of it:
 * from the checkpoint that it makes here to the label of the end, its log has every page in whole. Vacuum, whose checkpoint would
 * make room in that log, waits meanwhile.
 */
async function beginBackup({ database, db, log }: Deps, hold: HeldObjects['hold']) {
  const release = hold()
  let ended: EndedBackup | undefined
  let letGo = () => {}
  let vacuum_waits: Promise<void> | undefined
  const is_embedded = database.kind === 'embedded'
  let is_open = false
  const endOfDatabase = async (): Promise<EndedBackup | undefined> => {
    if (!is_open) return ended
    is_open = false
    const { rows } = await sql<{ label: string; last_wal: string }>`
      SELECT labelfile AS label, pg_walfile_name(lsn) AS last_wal FROM pg_backup_stop(false)`.execute(db)
    const { label, last_wal } = rows[0]!
    const first_wal = /\(file ([0-9A-F]{24})\)/.exec(label)?.[1] ?? ''
    return (ended = { label, last_wal, first_wal })
  }
  const end = async () => {
    await endOfDatabase().catch((error: unknown) => log.warn({ err: error }, 'a backup did not end'))
    letGo()
    await vacuum_waits
    await release()
  }
  if (!is_embedded) return { endOfDatabase, end }
  await new Promise<void>((begun) => {
    vacuum_waits = database.exclusive('vacuum', () => {
      begun()
      return new Promise<void>((done) => (letGo = done))
    })
  })
  try {
    await sql`SELECT pg_backup_start('mdm', true)`.execute(db)
    is_open = true
  } catch (error) {
    await end()
    throw error
  }
  return { endOfDatabase, end }
}
