import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SectionOutcome } from './body.ts'
import type { Ran, RunOptions } from './command.ts'
import { configSections } from './config-sections.ts'

/** EX_UNAVAILABLE: this terminal cannot do that. */
const unavailable_exit = 69
/** EX_NOPERM */
const no_root_exit = 77
const command_ms = 60_000

/** What a terminal can do without rights: keep what managed programs read as their settings, in a folder of theirs. */
const by_itself: readonly string[] = ['managed_apps', 'istage']
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
  /** Runs the command of the owner, where there is one. */
  run: ((how: RunOptions) => Promise<Ran>) | undefined
  section: string
  value: unknown
  signal: AbortSignal
}): Promise<SectionOutcome> {
  const { data, run, section, value, signal } = options
  if (section === 'managed_apps') {
    await keepSettings(join(data, 'managed-apps'), (value as { entries?: Entry[] }).entries ?? [])
    return { outcome: 'applied' }
  }
  if (section === 'istage') return keepIstage(join(data, 'istage'), value as Istage)
  // Two empty lists are what the machine does anyhow.
  if (section === 'url_lists' && isEmptyList(value)) return { outcome: 'applied' }
  if (!by_command.includes(section)) return { outcome: 'not_supported', reason: 'unknown_section' }
  if (!run) return { outcome: 'not_supported', reason: 'no_command' }
  const ran = await run({
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

type Istage = { name: string; type: string; version: string; private_content: string }
const moduleName = /^[A-Za-z][A-Za-z0-9_]{0,39}$/

/**
 * A configuration of iStage for the programs that read it: a JSON file for each module, and one that names them. The message says
 * what came of each module; those of an earlier configuration go.
 */
async function keepIstage(folder: string, { name, type, version, private_content }: Istage): Promise<SectionOutcome> {
  const content = JSON.parse(private_content) as Record<string, unknown>
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'modules'), { recursive: true, mode: 0o700 })
  const outcomes: [module: string, fault: string | null][] = []
  for (const [module, objects] of Object.entries(content)) {
    const fault = !moduleName.test(module)
      ? 'not the name of a module'
      : await keepJson(join(folder, 'modules', `${module}.json`), objects).then(
          () => null,
          (error: Error) => error.message,
        )
    outcomes.push([module, fault])
  }
  const modules = outcomes.flatMap(([module, fault]) => (fault === null ? [module] : []))
  await keepJson(join(folder, 'configuration.json'), { name, type, version, modules })
  const message = outcomes
    .map(([module, fault]) => `${module}: ${fault ?? 'applied'}`)
    .join(', ')
    .slice(0, 300)
  if (modules.length < outcomes.length) return { outcome: 'failed', reason: 'command_failed', message }
  return { outcome: 'applied', message }
}
/** Passwords stand in it, so that nobody but the agent's user reads it. */
const keepJson = (path: string, value: unknown): Promise<void> =>
  writeFile(path, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })

function typed({ kind, value }: Entry): unknown {
  if (kind === 'number') return Number(value)
  if (kind === 'yes_no') return value === 'true'
  if (kind === 'several') return value.split(',').map((one) => one.trim())
  return value
}
