import type { Down, Up } from '@mdm/device-link'
import type { Deps } from '../../deps.ts'
import { newKid } from '../../lib/ids.ts'
import type { DownMessage, UpMessage } from '../../link/check-ins.ts'
import { writeKeptRow } from '../shared/kept-row.ts'
import { helloOnce, talk } from '../shared/talk.ts'
import { dateOf } from '../shared/values.ts'
import { configAnswer, takeConfig, takeConfigResult } from './config.ts'
import { noteIdentity } from './identity.ts'
import { readKept } from './kept.ts'
import type { Boot, Command, Kept } from './kept.ts'
import { answerRequest, endLocating, takeAnswer } from './requests.ts'
import type { Said } from './said.ts'
import { judge, silent_reset_ms, takeCancel, takeResults, takeTask } from './tasks.ts'
import type { Turn } from './tasks.ts'
import { deviceTimeOf, inventoryOf, packagesOf, stateOf, uptimeOf } from './telemetry.ts'

/** It comes every 10 to 15 minutes when nobody wakes it. */
const silent_ms = 20 * 60_000
/** By how much the moment of a boot that is worked out from uptimes may differ. */
const boot_tolerance_ms = 2 * 60_000
const scan_ms = 24 * 3_600_000
const told_events: Record<string, string> = {
  kioskExit: 'kiosk_exit',
  kioskCrashLoop: 'kiosk_crash_loop',
  lowBattery: 'low_battery',
}

export type ForAgent = { commandId: string; issuedAt: string; type: string; payload?: Record<string, unknown> }
type Answer = {
  commands: ForAgent[]
  /** When the newest of what it works on went out: it is asked again soon after that, and ever more rarely. */
  busy_since: number | undefined
}

/** What a device says at a check-in, translated for the link, and what the link has for it, translated for the agent. */
export async function checkIn(
  deps: Deps,
  kid: string,
  said: Said,
  { address, origin, signal }: { address: string; origin: string; signal: AbortSignal },
): Promise<Answer | undefined> {
  const kept = await readKept(deps, kid)
  if (!kept) return undefined
  await noteIdentity(deps, kid, said, kept)
  const now = deps.clock.now()
  const device_time = (deviceTimeOf(said) ?? now).toISOString()
  const commands: ForAgent[] = []
  const messages: UpMessage[] = []
  const say = (name: UpMessage['name'], payload: object): void => void messages.push({ name, payload })
  const hand = (commandId: string, command: Command): void =>
    void commands.push({ commandId, issuedAt: now.toISOString(), ...command })

  if (kept.is_reset) {
    for (const gone of [
      'hello',
      'config_version',
      'config',
      'is_config_owed',
      'has_kiosk',
      'is_locating',
      'is_location_on',
      'scanned_at',
    ] as const)
      delete kept[gone]
  }
  const boot = bootOf(kept, said, now.getTime())
  kept.agent_version = said.agent_version ?? kept.agent_version!
  const state = stateOf(said)
  const turn: Turn = {
    now: now.getTime(),
    kept,
    boot_id: boot?.id,
    facts: {
      origin,
      sdk: inventoryOf(said, undefined).sdk,
      agent_version: kept.agent_version,
      network: state.network?.type,
      level: state.battery?.level,
      is_charging: state.battery !== undefined && state.battery.charging !== 'discharging',
    },
    report: (body) => say('task', body),
    hand,
  }
  let packages: ReturnType<typeof packagesOf>
  const results = said.results.filter(({ id, status, detail }) => {
    if (id.startsWith('scan.') || id.startsWith('request.app_list.')) packages = packagesOf(detail) ?? packages
    return !takeConfigResult(turn, id, { status, detail }) && !takeAnswer(id, { status, detail }, state, say)
  })
  const apps_before = appWork(kept)
  endLocating(turn, said.results)
  takeResults(turn, results, said.events)
  judge(turn)

  const hello = helloOf(said, kept, boot, device_time, packages)
  // Before all else, as what it holds decides what it is sent.
  if (hello) messages.unshift({ name: 'hello', payload: hello })
  const at = { seq: now.getTime(), device_time }
  const fix = dateOf(Date.parse(state.location?.at ?? ''))?.getTime()
  const { location, ...rest } = state
  const is_told = fix !== undefined && fix === kept.located_at
  const config = configAnswer(turn)
  if (said.dynamic['uptimeMs'] !== undefined || config)
    say('state', { ...at, ...rest, ...(location && !is_told && { location }), ...config })
  if (fix !== undefined) kept.located_at = fix
  for (const event of eventsOf(said)) say('event', event)

  const has_changed_apps = apps_before > appWork(kept)
  if (kept.scanned_at === undefined || turn.now - kept.scanned_at > scan_ms || has_changed_apps) {
    kept.scanned_at = turn.now
    hand(`scan.${turn.now}`, { type: 'apps.scan' })
  }

  await talk(deps, {
    ...{ kid, address, silent_ms, signal, messages },
    keep: () => {
      const reset = kept.open.find(({ type, state: at_work }) => type === 'factory_reset' && at_work === 'executing')
      return writeKeptRow(
        deps,
        kid,
        kept,
        reset?.out_at === undefined ? null : new Date(reset.out_at + silent_reset_ms),
      )
    },
    take: (message) => takeMessage(turn, message, { said, state, boot, device_time, say }),
  })
  const out = kept.open.flatMap(({ state: at_work, out_at }) =>
    at_work === 'executing' && out_at !== undefined ? out_at : [],
  )
  if (kept.config) out.push(kept.config.out_at)
  if (commands.length > 0) out.push(turn.now)
  return { commands, busy_since: out.length === 0 ? undefined : Math.max(...out) }
}

const appWork = ({ open }: Kept): number => open.filter(({ type }) => type.startsWith('app_')).length

function takeMessage(turn: Turn, { name, payload }: DownMessage, here: Parameters<typeof answerRequest>[2]): void {
  if (name === 'task') takeTask(turn, payload as unknown as Down['task'])
  else if (name === 'cancel') takeCancel(turn, payload as Down['cancel'])
  else if (name === 'config') takeConfig(turn, payload as Down['config'], here.said.policies)
  else if (name === 'request') answerRequest(turn, payload as Down['request'], here)
}

/** Its boots are told apart by the moment at which they began by the server's clock: that of the device jitters and is set. */
function bootOf(kept: Kept, { dynamic }: Said, now: number): Boot | undefined {
  const uptime = uptimeOf(dynamic)
  const current = kept.boots[0]
  if (uptime === undefined) return current
  const at = now - uptime
  const known = kept.boots.find((boot) => Math.abs(boot.at - at) <= boot_tolerance_ms)
  const boot = { id: known?.id ?? `boot-${newKid()}`, at }
  if (current && boot.id !== current.id && kept.is_config_owed) {
    kept.config_version = 0
    delete kept.is_config_owed
  }
  kept.boots = [boot, ...kept.boots.filter(({ id }) => id !== boot.id)].slice(0, 2)
  return boot
}

/** What it would say to begin a connection; undefined where it has said the same before. */
function helloOf(
  said: Said,
  kept: Kept,
  boot: Boot | undefined,
  device_time: string,
  packages: ReturnType<typeof packagesOf>,
): Up['hello'] | undefined {
  const inventory = inventoryOf(said, kept.agent_version)
  return helloOnce(kept, {
    boot_id: boot?.id ?? 'unknown',
    device_time,
    ...(boot && { boot_at: new Date(boot.at).toISOString() }),
    inventory: { ...inventory, ...(packages && { packages }) },
    config_version: kept.config_version ?? 0,
    tasks: kept.open.slice(0, 200).map(({ task_kid, attempt, state }) => ({ task_kid, attempt, state })),
  })
}

/** Each in a message of its own, which is the same when it is said again. */
const eventsOf = ({ events }: Said): Up['event'][] =>
  events
    .flatMap(({ type, at: ms, detail }) => {
      const [name, date] = [told_events[type], dateOf(Math.round(ms))]
      if (!name || !date) return []
      const at = date.toISOString()
      const event = { type: name, at, ...(detail && { detail: { text: detail } }) }
      return [{ seq: date.getTime(), device_time: at, events: [event] }]
    })
    .slice(-100)
