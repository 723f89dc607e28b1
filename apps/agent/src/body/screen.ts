import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { TaskFailure } from './body.ts'
import { runCommand } from './command.ts'
import { isPng, xwdToPng } from './png.ts'

const most_bytes = 64 * 1_048_576
const timeout_ms = 30_000

/** What can picture an X display, in order of preference; each writes to stdout. */
const tools = (display: string): string[][] => [
  ['import', '-silent', '-display', display, '-window', 'root', 'png:-'],
  ['xwd', '-silent', '-display', display, '-root'],
  [
    'ffmpeg',
    '-loglevel',
    'error',
    '-f',
    'x11grab',
    '-i',
    display,
    '-frames:v',
    '1',
    '-f',
    'image2pipe',
    '-c:v',
    'png',
    '-',
  ],
]

async function isInstalled(program: string, path: string): Promise<boolean> {
  for (const folder of path.split(delimiter)) {
    if (folder === '') continue
    const found = await access(join(folder, program), 1).then(
      () => true,
      () => false,
    )
    if (found) return true
  }
  return false
}

/** The screen as a PNG. `command` replaces the tools that are looked for; it writes a PNG or a dump of xwd to stdout. */
export async function captureScreen(options: {
  command: string[] | undefined
  display: string | undefined
  path: string
  signal: AbortSignal
}): Promise<Buffer> {
  let command = options.command
  if (!command) {
    if (!options.display) throw new TaskFailure('no_display', 'This device has no screen: DISPLAY is not set')
    for (const tool of tools(options.display))
      if (!command && (await isInstalled(tool[0] ?? '', options.path))) command = tool
    if (!command) throw new TaskFailure('no_screenshot_tool', 'None of import, xwd and ffmpeg is installed')
  }
  const { code, stdout, stderr } = await runCommand(command, {
    timeout_ms,
    max_bytes: most_bytes,
    signal: options.signal,
  })
  const said = stderr.trim().split('\n').at(-1) ?? ''
  if (code !== 0) {
    const is_missing = /unable to open|can't open|cannot open|could not open/i.test(stderr)
    throw new TaskFailure(is_missing ? 'no_display' : 'screenshot_failed', `${command[0]}: ${said || `exit ${code}`}`)
  }
  if (isPng(stdout)) return stdout
  try {
    return xwdToPng(stdout)
  } catch (error) {
    throw new TaskFailure('screenshot_failed', `${command[0]}: ${(error as Error).message}`)
  }
}
