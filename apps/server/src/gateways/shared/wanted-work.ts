import { inabilities, inabilityOf } from '@mdm/contract'
import type { GatewayKind } from '@mdm/contract'
import type { Down, Up } from '@mdm/device-link'
import { cannot } from './refusals.ts'
import type { Moment } from './visit.ts'
import type { WantedConfig } from './wanted-config.ts'

type Task = Down['task']
export type Ended = Pick<Up['task'], 'state' | 'code' | 'message' | 'result'>

/** An agent that is told how its device ought to be, and says how it is. */
type Kind = { kind: GatewayKind; package: string }

/** `url` is as the link says it: the address of the server may change. */
export type WantedApp = {
  package: string
  title: string
  version: string
  version_code: number
  url: string
  starts: boolean
  may_downgrade: boolean
  is_dependency: boolean
  /** A higher version that has to go first. */
  gone?: string
}
/** `at` tells the agent that it is newer than what it has there. */
type WantedFile = { path: string; url: string; md5: string; at: number }
/** What of a task stands in the configuration that the agent fetches, until it says that it is so. */
type Work = {
  apps?: WantedApp[]
  packages?: string[]
  files?: WantedFile[]
  upload_url?: string
  /** Once all else of the task is done. */
  restarts?: true
}
export type Open = Work & {
  task_kid: string
  attempt: number
  type: Down['task']['type']
  state: 'receipt' | 'wait_execute' | 'executing'
  expires_at: string
  min_battery?: number
  wifi?: true
  /** When the agent fetched it first. */
  out_at?: number
  /** When it said that it does it now: resets itself, restarts, or begins to log. */
  confirmed_at?: number
  /** When it asked for news first after it said that it restarts. */
  polled_at?: number
  failures?: number
}
export type KeptWanted = {
  open: Open[]
  /** What the device last said of its state. */
  parts: Omit<Up['state'], 'seq' | 'device_time'>
  /** There is something that the agent has not fetched. */
  is_due?: boolean
  /** When it fetched last how its device ought to be. */
  out_at?: number
  config?: WantedConfig
  /** Requests of people, answered when it says how it is. */
  asked: Pick<Down['request'], 'id' | 'method' | 'expires_at'>[]
  /** What the agent has logged since it was asked for its log. */
  log?: string[]
  /** It has enrolled again since it was last here. */
  is_reset?: boolean
  hello?: string
  state?: string
}
export type WantedTurn = Moment<KeptWanted>

const open_max = 100

/** A task or a repeat of one that the server has not heard of since. */
export function takeTask(at: WantedTurn, task: Task, agent: Kind): void {
  const { task_kid, attempt, type, expires_at, min_battery } = task
  const { kept } = at
  const there = kept.open.find((each) => each.task_kid === task_kid && each.attempt === attempt)
  if (there) return at.report({ task_kid, attempt, state: there.state })
  const work = workOf(task, agent, at.now)
  if ('state' in work) return at.report({ task_kid, attempt, ...work })
  if (kept.open.length >= open_max) return
  at.report({ task_kid, attempt, state: 'receipt' })
  const wifi = task.network === 'wifi' && { wifi: true as const }
  const open: Open = {
    ...{ task_kid, attempt, type, state: 'receipt', expires_at, ...work, ...wifi },
    ...(min_battery !== undefined && { min_battery }),
  }
  if (isLow(kept, open)) {
    open.state = 'wait_execute'
    at.report({ task_kid, attempt, state: 'wait_execute', waits: { for: 'battery' } })
  }
  // Earlier attempts have ended at the server.
  kept.open = [...kept.open.filter((each) => each.task_kid !== task_kid), open]
  kept.is_due = true
}

function workOf(task: Task, { kind, package: itself }: Kind, now: number): Work | Ended {
  if (task.download_prompt || task.install_prompt) return cannot('not_supported', 'The agent does not ask its user')
  if (task.window) return cannot('not_supported', 'The agent does not tell its time zone')
  const restarts = task.after_install === 'restart' && { restarts: true as const }
  switch (task.type) {
    case 'app_install': {
      const { apps } = task.payload
      if (apps.some(({ kind }) => kind !== 'apk')) return cannot('package_kind', 'This agent installs only single APKs')
      const wanted = apps.map(
        ({ file, title, version, version_code, may_downgrade = false, is_dependency = false, ...app }) => ({
          ...{ package: app.package, title, version, version_code, url: file.url, may_downgrade, is_dependency },
          starts: task.after_install === 'start_app' && !is_dependency,
        }),
      )
      return { apps: wanted, ...restarts }
    }
    case 'app_uninstall':
      if (task.payload.packages.includes(itself))
        return cannot('not_supported', 'The agent does not remove itself: reset the device instead')
      return { packages: task.payload.packages }
    case 'file':
    case 'config_file': {
      const pushed = 'files' in task.payload ? task.payload.files : [task.payload.file]
      const files = pushed.flatMap(({ name, md5, ...file }): WantedFile[] => {
        const path = placeOf(file.path, name)
        return path === undefined ? [] : [{ path, url: file.url, md5, at: now }]
      })
      if (files.length < pushed.length) return cannot('path_not_allowed', 'This agent writes only below /sdcard')
      return { files, ...restarts }
    }
    case 'restart':
      return { restarts: true }
    case 'factory_reset':
      return {}
    case 'remote_log':
      return { upload_url: task.payload.upload_url }
    default:
      return cannot(
        'not_supported',
        inabilities[inabilityOf({ agent_kind: kind, task_types: [] }, task.type) ?? 'not_capable'].en,
      )
  }
}

/** From the storage that users see, below which alone the agent finds again what it wrote. */
function placeOf(folder: string, name: string): string | undefined {
  const path = `${folder}/${name}`.replaceAll(/\/+/g, '/')
  const within = /^\/(?:sdcard|storage\/emulated\/0|storage\/self\/primary)\/(.+)$/.exec(path)?.[1] ?? path
  const is_odd = within.startsWith('/') || within.split('/').includes('..') || within.includes('\\')
  return is_odd ? undefined : within
}

/** What has not begun is stopped, and what the agent has not said that it does now: it is refused that from then on. */
export function takeCancel(at: WantedTurn, { task_kid, attempt }: Down['cancel']): void {
  const open = at.kept.open.find((each) => each.task_kid === task_kid && each.attempt === attempt)
  if (open?.confirmed_at !== undefined && open.upload_url === undefined) return
  at.kept.open = at.kept.open.filter((each) => each !== open)
  at.kept.is_due ||= open?.state === 'executing'
  at.report({ task_kid, attempt, state: 'canceled' })
}

export function isLow({ parts: { battery } }: KeptWanted, { min_battery }: Pick<Open, 'min_battery'>): boolean {
  return (
    min_battery !== undefined &&
    battery !== undefined &&
    battery.level < min_battery &&
    battery.charging === 'discharging'
  )
}

/** What the agent has fetched it works on. */
export function handOut(at: WantedTurn): void {
  for (const open of at.kept.open) {
    if (isLow(at.kept, open) && open.state !== 'executing') continue
    open.out_at ??= at.now
    if (open.state === 'executing') continue
    open.state = 'executing'
    at.report({ task_kid: open.task_kid, attempt: open.attempt, state: 'executing' })
  }
}

/** Whether it does this now, as its configuration says, and no push that has ended meanwhile. */
export function confirm({ kept, now }: WantedTurn, type: 'restart' | 'factory_reset'): boolean {
  const open = kept.open.find(
    (each) => each.state === 'executing' && (type === 'restart' ? isRestart(each) : each.type === type),
  )
  if (open) open.confirmed_at ??= now
  return open !== undefined
}

export const isRestart = ({ restarts, apps, files }: Open): boolean => restarts === true && !apps && !files
