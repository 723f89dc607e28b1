import { listOf, numberOf, partOf, textOf } from '../shared/values.ts'

const attributes_max = 100
const names_max = 60
const detail_lines = 50

export type ConfigData = { mode: 'merge' | 'replace' | 'remove'; data: Record<string, string> }

/** Attributes; what is no text is left out. */
export function readConfigData(body: unknown): ConfigData {
  const said = partOf(body)
  const mode = said['mode'] === 'replace' || said['mode'] === 'remove' ? said['mode'] : 'merge'
  const data = Object.entries(partOf(said['data']))
    .slice(0, attributes_max)
    .flatMap(([name, value]): [string, string][] => {
      const [key, text] = [textOf(name, names_max), textOf(value, 200)]
      return key ? [[key, text ?? '']] : []
    })
  return { mode, data: Object.fromEntries(data) }
}

/** Without attributes that are empty, and not more of them than is kept. */
export function joined(known: Record<string, string>, { mode, data }: ConfigData): Record<string, string> {
  const all =
    mode === 'remove'
      ? Object.entries(known).filter(([name]) => !Object.hasOwn(data, name))
      : Object.entries(mode === 'replace' ? data : { ...known, ...data })
  return Object.fromEntries(all.filter(([, text]) => text !== '').slice(0, attributes_max))
}

export type Feedback = ReturnType<typeof readFeedback>

export function readFeedback(body: unknown) {
  const status = partOf(partOf(body)['status'])
  const result = partOf(status['result'])
  const progress = partOf(result['progress'])
  const [done, of] = [numberOf(progress['cnt']), numberOf(progress['of'])]
  const details = listOf(status['details'])
    .slice(-detail_lines)
    .flatMap((line) => textOf(line, 1_000) ?? [])
  return {
    execution: textOf(status['execution'], 20) ?? '',
    is_failure: result['finished'] === 'failure',
    percent:
      done !== undefined && of !== undefined && of > 0 && done >= 0 ? Math.min(100, (done / of) * 100) : undefined,
    code: numberOf(status['code']),
    text: details.join('\n'),
  }
}
