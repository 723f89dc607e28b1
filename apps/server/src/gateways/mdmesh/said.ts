import type { Up } from '@mdm/device-link'
import type { Result } from '../shared/command-work.ts'
import { dateOf, listOf, numberOf, partOf, textOf, textsOf } from '../shared/values.ts'

const told_events: Partial<Record<string, string>> = {
  kioskExit: 'kiosk_exit',
  kioskCrashLoop: 'kiosk_crash_loop',
  lowBattery: 'low_battery',
}
const most_results = 1_000
const most_events = 500
/** The list of apps comes as a text in a result. */
const detail_max = 1_000_000

export type Said = ReturnType<typeof readCheckIn>

export function readCheckIn(body: unknown) {
  const said = partOf(body)
  const state = partOf(said['state'])
  const telemetry = partOf(said['telemetry'])
  const events = listOf(said['events'])
    .slice(0, most_events)
    .map(partOf)
    .map(({ type, ts, detail }) => ({ type, ms: numberOf(ts) ?? -1, text: textOf(detail, 1_000) }))
  const results = listOf(said['results'])
    .slice(0, most_results)
    .map(partOf)
    .map(({ commandId, status, detail }): Result => ({
      ...{ id: textOf(commandId, 200) ?? '', status: textOf(status, 20) ?? 'failed' },
      detail: textOf(detail, detail_max) ?? '',
    }))
  const told = new Set(results.map(({ id }) => id))
  // Of results that were lost with the process of the agent.
  for (const { type, text = '' } of events) {
    const [, id, status] = (type === 'commandResult' && /^(.+):([A-Z]+)$/.exec(text)) || []
    if (id && status && !told.has(id)) results.push({ id, status: status.toLowerCase(), detail: '' })
  }
  const identity = partOf(telemetry['identity'])
  return {
    hardware_id: textOf(said['hardwareId'], 500),
    agent_version: textOf(state['agentVersion'], 64),
    policies: textsOf(partOf(said['capabilities'])['policy'], 40),
    dynamic: partOf(telemetry['dynamic']),
    hardware: partOf(telemetry['hardware']),
    imei: textsOf(identity['imei'], 40)[0],
    serial: textOf(identity['serial'], 60),
    /** Each in a message of its own, which is the same when it is said again. */
    events: events
      .flatMap(({ type, ms, text }): Up['event'][] => {
        const name = told_events[String(type)]
        const at = dateOf(Math.round(ms))?.toISOString()
        const event = name && at && { type: name, at, ...(text && { detail: { text } }) }
        return event ? [{ seq: Date.parse(event.at), device_time: event.at, events: [event] }] : []
      })
      .slice(-100),
    // One that it had done before says nothing.
    results: results.filter(({ detail }) => detail !== 'duplicate ignored'),
  }
}

/** How it names itself when it enrols; the rest comes with its first check-in. */
export function readEnrol(body: unknown) {
  const said = partOf(body)
  const device = partOf(said['device'])
  const maker = textOf(device['manufacturer'], 32)
  const model = textOf(device['model'], 64) ?? ''
  return {
    token: textOf(said['enrollToken'], 200),
    hardware_id: textOf(said['hardwareId'], 500),
    device: {
      model: modelName(maker, model),
      os_name: 'Android',
      os_version: textOf(device['androidRelease'], 64) ?? '',
      service_version: textOf(partOf(said['agent'])['version'], 64) ?? '',
      protocol_version: 1,
    },
  }
}

/** `Samsung SM-A205` of `SM-A205`; makers who say their name in the model are not said twice. */
export const modelName = (maker: string | undefined, model: string): string =>
  (maker && !model.toLowerCase().startsWith(maker.toLowerCase()) ? `${maker} ${model}` : model).slice(0, 64)
