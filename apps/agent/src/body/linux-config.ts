import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SectionOutcome } from './body.ts'
import { runCommand } from './command.ts'
import { configSections } from './config-sections.ts'

/** EX_UNAVAILABLE: this terminal cannot do that. */
const unavailable_exit = 69
/** EX_NOPERM */
const no_root_exit = 77
const command_ms = 60_000

/** What a terminal can do without rights: keep what managed programs read as their settings, in a folder of theirs. */
const by_itself: readonly string[] = ['managed_apps']
/** What a command may be given; whether it does it is its own affair. */
const by_command = configSections.filter((section) => !by_itself.includes(section))

export const configSectionsOf = (commands: { config?: string[] | undefined }): string[] => [
  ...by_itself,
  ...(commands.config ? by_command : []),
]

type Entry = { package: string; key: string; kind: string; value: string }
const packageName = /^[A-Za-z]\w*(\.[A-Za-z]\w*)*$/

/**
 * One section on this machine. The command gets the section's name in MDM_SECTION and its value as JSON on stdin: secrets never
 * stand among the arguments or in the environment.
 */
export async function configureLinux(options: {
  data: string
  command: string[] | undefined
  section: string
  value: unknown
  signal: AbortSignal
}): Promise<SectionOutcome> {
  const { data, command, section, value, signal } = options
  if (section === 'managed_apps') {
    await keepSettings(join(data, 'managed-apps'), (value as { entries?: Entry[] }).entries ?? [])
    return { outcome: 'applied' }
  }
  // Two empty lists are what the machine does anyhow.
  if (section === 'url_lists' && isEmptyList(value)) return { outcome: 'applied' }
  if (!by_command.includes(section)) return { outcome: 'not_supported', reason: 'unknown_section' }
  if (!command) return { outcome: 'not_supported', reason: 'no_command' }
  const ran = await runCommand(command, {
    timeout_ms: command_ms,
    signal,
    env: { MDM_SECTION: section },
    stdin: JSON.stringify(value),
  })
  if (ran.code === 0) return { outcome: 'applied' }
  const message = ran.stderr.trim().slice(0, 300)
  if (ran.code === unavailable_exit) return { outcome: 'not_supported', reason: 'no_hardware', message }
  if (ran.code === no_root_exit) return { outcome: 'not_supported', reason: 'no_root', message }
  return { outcome: 'failed', reason: 'command_failed', message: `exit ${ran.code} ${message}`.trim().slice(0, 300) }
}

const isEmptyList = (value: unknown): boolean => {
  const { whitelist, blacklist } = value as { whitelist?: unknown[]; blacklist?: unknown[] }
  return (whitelist?.length ?? 0) === 0 && (blacklist?.length ?? 0) === 0
}

/** A JSON file for each program; those of programs that have no settings any more go. */
async function keepSettings(folder: string, entries: readonly Entry[]): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o755 })
  const packages = new Set(entries.map((entry) => entry.package).filter((name) => packageName.test(name)))
  for (const name of packages) {
    const settings = Object.fromEntries(
      entries.filter((entry) => entry.package === name).map((entry) => [entry.key, typed(entry)]),
    )
    await writeFile(join(folder, `${name}.json`), `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o644 })
  }
}

function typed({ kind, value }: Entry): unknown {
  if (kind === 'number') return Number(value)
  if (kind === 'yes_no') return value === 'true'
  if (kind === 'several') return value.split(',').map((one) => one.trim())
  return value
}
