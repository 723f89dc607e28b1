import { listOf, numberOf, partOf, textOf, textsOf } from '../shared/values.ts'

export type Result = { id: string; status: string; detail: string }
export type AgentEvent = { type: string; at: number; detail: string }

const most_results = 1_000
const most_events = 500
/** The list of apps comes as a text in a result. */
const detail_max = 1_000_000

export type Said = ReturnType<typeof readCheckIn>

export function readCheckIn(body: unknown) {
  const said = partOf(body)
  const state = partOf(said['state'])
  const telemetry = partOf(said['telemetry'])
  const capabilities = partOf(said['capabilities'])
  return {
    hardware_id: textOf(said['hardwareId'], 500),
    agent_version: textOf(state['agentVersion'], 64),
    policies: textsOf(capabilities['policy'], 40),
    dynamic: partOf(telemetry['dynamic']),
    hardware: partOf(telemetry['hardware']),
    identity: partOf(telemetry['identity']),
    security: partOf(telemetry['security']),
    results: listOf(said['results'])
      .slice(0, most_results)
      .flatMap((each): Result[] => {
        const { commandId, status, detail } = partOf(each)
        const id = textOf(commandId, 200)
        return id ? [{ id, status: textOf(status, 20) ?? 'failed', detail: textOf(detail, detail_max) ?? '' }] : []
      }),
    events: listOf(said['events'])
      .slice(0, most_events)
      .flatMap((each): AgentEvent[] => {
        const { type, ts, detail } = partOf(each)
        const [name, at] = [textOf(type, 40), numberOf(ts)]
        return name && at !== undefined ? [{ type: name, at, detail: textOf(detail, 1_000) ?? '' }] : []
      }),
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
