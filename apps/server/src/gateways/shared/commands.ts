import type { Down } from '@mdm/device-link'
import type { Deps } from '../../deps.ts'
import { noteUptime } from './boots.ts'
import { configAnswer, retryConfig, takeConfigResult } from './command-config.ts'
import type { KeptConfig } from './command-config.ts'
import { judge, outSince, resetDueOf, startOf, takeCancel, takeResults, takeTask } from './command-work.ts'
import type { Command, KeptWork, Result, Trade, WorkTurn } from './command-work.ts'
import { readKeptRow, writeKeptRow } from './kept-row.ts'
import { reply, visit } from './visit.ts'
import type { KeptOfAll, Moment, Visit } from './visit.ts'

export type ForAgent = Command & { commandId: string; issuedAt: string }
export type KeptOfCommands = KeptOfAll & KeptConfig & KeptWork & { serial?: string; listed_at?: number }
export type Turn<Kept> = Moment<Kept> & WorkTurn

/** To a request: what is known, or the command whose result is the answer. */
export type Answer = { data?: object; fault?: { code: string; message: string }; command?: Command }
type Given = {
  commands: ForAgent[]
  /** When the newest of what it works on went out: it is asked again soon after that, and ever more rarely. */
  busy_since: number | undefined
}
type OfVisit = 'kind' | 'address' | 'silent_ms' | 'fresh' | 'hardware_id' | 'inventoryOf'
type CommandVisit<Kept> = Pick<Visit<Kept, Given>, OfVisit> & {
  uptime_ms: number | undefined
  device_time: Date | undefined
  serial: string | undefined
  results: readonly Result[]
  state: ReturnType<NonNullable<Visit<Kept, Given>['stateOf']>>
  trade: Trade
  /** Besides its results. */
  before(turn: Turn<Kept>): void
  configure(turn: Turn<Kept>, wanted: Down['config']): void
  /** Undefined where the agent does not do that. */
  ask(turn: Turn<Kept>, request: Down['request']): Answer | undefined
  /** What the result of a command says to the request that it is for. */
  answerOf(turn: Turn<Kept>, method: string, detail: string): Answer | undefined
}

const list_ms = 24 * 3_600_000
/** What is still so of a device that was reset. */
const lasting = new Set(['open', 'boots', 'is_reset', 'hardware_hash', 'serial', 'located_at', 'agent_version'])

/** A visit of an agent that is told what to do by commands, and says at a later visit what became of them. */
export async function visitForCommands<Kept extends KeptOfCommands>(
  deps: Deps,
  kid: string,
  v: CommandVisit<Kept>,
): Promise<Given> {
  const commands: ForAgent[] = []
  const turnOf = (at: Moment<Kept>): Turn<Kept> => ({
    ...at,
    ...{ trade: v.trade, state: v.state },
    hand: (commandId, command) =>
      void commands.push({ commandId, issuedAt: new Date(at.now).toISOString(), ...command }),
  })
  return visit<Kept, Given>(deps, kid, {
    ...v,
    before(at) {
      const turn = turnOf(at)
      const { kept, now } = at
      if (kept.is_reset) forget(kept)
      if (noteUptime(kept, v.uptime_ms, now)) retryConfig(kept)
      if (v.serial !== undefined) kept.serial = v.serial
      v.before(turn)
      const before = appWork(kept)
      takeResults(
        turn,
        v.results.filter((result) => !takeConfigResult(kept, result) && !takeAnswer(turn, result, v.answerOf)),
      )
      judge(turn)
      if (kept.listed_at !== undefined && now - kept.listed_at <= list_ms && before <= appWork(kept)) return
      kept.listed_at = now
      turn.hand(`list.${now}`, v.trade.list_apps)
    },
    helloOf: ({ boots: [boot], config_version = 0 }) => ({
      ...(boot && { boot_id: boot.id, boot_at: new Date(boot.at).toISOString() }),
      ...(v.device_time && { device_time: v.device_time.toISOString() }),
      config_version,
    }),
    serialOf: ({ serial }) => serial,
    stateOf: () => v.state,
    held: ({ open }) => open,
    take: (at, name, payload) =>
      name === 'task' ? takeTask(turnOf(at), payload as Down['task']) : takeCancel(turnOf(at), payload),
    configure: (at, wanted) => v.configure(turnOf(at), wanted),
    configured: configAnswer,
    ask(at, request) {
      const turn = turnOf(at)
      const { id, method } = request
      if (method === 'ping') return v.uptime_ms === undefined ? {} : { uptime: v.uptime_ms / 1000 }
      const { command, fault, data } = v.ask(turn, request) ?? {}
      if (command) turn.hand(`request.${method}.${id}`, command)
      if (fault) reply(turn, id, undefined, fault)
      return command || fault ? 'later' : data
    },
    resetDue: resetDueOf,
    answer: ({ kept, now }) => ({ commands, busy_since: (commands.length > 0 ? now : outSince(kept)) || undefined }),
  })
}

/** Whether the result is of a request. */
function takeAnswer<Kept>(turn: Turn<Kept>, result: Result, answerOf: CommandVisit<Kept>['answerOf']): boolean {
  const { status, detail } = result
  const [, method, id] = /^request\.([a-z_]{1,40})\.([0-9a-f-]{36})$/.exec(result.id) ?? []
  if (!method || !id) return false
  const { data, fault } = (status === 'done' && answerOf(turn, method, detail)) || {}
  const message = detail.slice(0, 1_000) || (status === 'done' ? 'The result was lost' : status)
  reply(turn, id, data, fault ?? { code: 'command_failed', message })
  return true
}

const appWork = ({ open }: KeptWork): number => open.filter(({ type }) => type.startsWith('app_')).length

function forget(kept: object): void {
  for (const key of Object.keys(kept)) if (!lasting.has(key)) Reflect.deleteProperty(kept, key)
}

/**
 * Of an answer that did not leave nothing was carried out: the device says next that it holds none of those tasks, so that they are
 * sent again.
 */
export async function giveBack(deps: Deps, kid: string, commands: readonly ForAgent[]): Promise<void> {
  try {
    const row = commands.length > 0 && (await readKeptRow(deps, kid))
    if (!row) return
    const kept: KeptOfCommands = { open: [], boots: [], ...row }
    const isLost = (start: string): boolean => commands.some(({ commandId }) => commandId.startsWith(start))
    kept.open = kept.open.filter((open) => !isLost(startOf(open)))
    if (kept.config && isLost(`config.${kept.config.version}.`)) kept.config.out_at = 0
    if (isLost('list.')) delete kept.listed_at
    delete kept.hello
    await writeKeptRow(deps, kid, kept, resetDueOf(kept))
  } catch (error) {
    deps.log.warn({ err: error, terminal_kid: kid }, 'a lost answer could not be noted')
  }
}
