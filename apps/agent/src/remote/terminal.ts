import { homedir } from 'node:os'
import type { Duplex, Readable } from 'node:stream'
import { runCommand } from '../body/command.ts'
import { canRun, endSession, programPath, spawnBound, streamOf } from './process.ts'
import type { RemoteSource, TunnelParams } from './source.ts'

type Size = { columns: number; rows: number }
const default_size: Size = { columns: 80, rows: 24 }
const stty_ms = 5_000

/**
 * Waits until the agent lets go of its descriptor, which it does as it dies too, and ends every process of the session. A shell that is
 * hung up passes that on to its jobs only if it comes to it before it reads that its terminal has gone. It has a session of its own.
 */
const reaper =
  'read -r _; for p in /proc/[0-9]*; do { read -r said < "$p/stat"; } 2>/dev/null || continue; set -- ${said##*) }; [ "$4" = "$MDM_SESSION" ] && kill -KILL "${p##*/}"; done'

/** Said over a descriptor of its own before the shell begins: its session, and the terminal that it has, which `script` gives no echo. */
const prelude =
  'MDM_SESSION=$$ setsid sh -c "$MDM_REAPER" <&4 >/dev/null 2>&1 3>&- 4<&- & echo "$$ $(tty)" >&3; exec 3>&- 4<&-; stty sane rows "$MDM_ROWS" cols "$MDM_COLUMNS"; unset MDM_ROWS MDM_COLUMNS MDM_REAPER; SHELL=$MDM_SHELL; unset MDM_SHELL; exec "$SHELL"'

/** The shell of the user whom the agent runs as. A service has none in its environment. */
function shellOf(): string {
  const named = process.env['SHELL']
  return named && canRun(named) ? named : '/bin/sh'
}

/** A shell of this machine: on a terminal of its own by `script` of util-linux, else on plain pipes. */
export function terminal({ columns, rows }: Pick<TunnelParams, 'columns' | 'rows'>): RemoteSource {
  const size = { columns: columns ?? default_size.columns, rows: rows ?? default_size.rows }
  return programPath('script') ? onTerminal(size) : onPipes()
}

function onTerminal({ columns, rows }: Size): RemoteSource {
  const env = {
    ...process.env,
    TERM: 'xterm-256color',
    MDM_ROWS: String(rows),
    MDM_COLUMNS: String(columns),
    MDM_SHELL: shellOf(),
    MDM_REAPER: reaper,
    // By which `script` runs the prelude.
    SHELL: '/bin/sh',
  }
  const stdio = ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'] as const
  const child = spawnBound(['script', '-qfc', prelude, '/dev/null'], { env, cwd: homedir(), stdio: [...stdio] })
  let session: number | undefined
  let tty: string | undefined
  let wanted: Size | undefined
  let is_resizing = false

  async function resize() {
    if (is_resizing || tty === undefined) return
    is_resizing = true
    while (wanted) {
      const { columns, rows } = wanted
      wanted = undefined
      const command = ['stty', '-F', tty, 'rows', String(rows), 'cols', String(columns)]
      // A terminal that has gone has no size any more.
      await runCommand(command, { timeout_ms: stty_ms }).catch(() => undefined)
    }
    is_resizing = false
  }

  const told = child.stdio[3] as Readable
  const held = child.stdio[4] as Duplex
  held.on('error', () => {})
  let words = ''
  told.on('error', () => {})
  told.on('data', (bytes: Buffer) => {
    words += bytes.toString('latin1')
    const said = /^(\d+) (\/dev\/\S+)\n/.exec(words)
    if (!said) return
    session = Number(said[1])
    tty = said[2]
    void resize()
  })
  const stream = streamOf(child, {
    outputs: [child.stdout!, child.stderr!],
    async end() {
      // The terminal goes with `script`, which hangs up whatever looks at it.
      child.kill('SIGKILL')
      held.destroy()
      if (session !== undefined) await endSession(session)
    },
  })
  return {
    stream,
    take(note) {
      if (!('resize' in note)) return
      wanted = note.resize
      void resize()
    },
  }
}

/** Without a terminal nothing echoes, and lines end as files have them. */
function onPipes(): RemoteSource {
  const child = spawnBound([shellOf()], { env: { ...process.env, TERM: 'dumb' }, cwd: homedir(), stdio: 'pipe' })
  const stream = streamOf(child, {
    outputs: [child.stdout!, child.stderr!],
    write(bytes) {
      const text = bytes.toString('latin1').replaceAll('\r', '\n')
      stream.push(Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1'))
      return Buffer.from(text, 'latin1')
    },
    end: async () => child.pid !== undefined && endSession(child.pid),
  })
  return { stream }
}
