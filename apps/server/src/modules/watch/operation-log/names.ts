import { changedThings, changes, changeText, contract, errorMessage, errors } from '@mdm/contract'
import type { Call, ChangedThing, ErrorDetails, ErrorName, Language, Text } from '@mdm/contract'
import type { Track } from '../../../http/context.ts'

type Named = { module: Text; action: Text }
const pairKey = (module_code: string, action_code: string): string => `${module_code} ${action_code}`

/** Every write of the contract by the codes that the log keeps. */
const names = new Map<string, Named & { module_code: string; action_code: string }>()
for (const { title, calls } of Object.values(contract))
  for (const call of Object.values(calls) as Call[])
    if (call.effect === 'write')
      names.set(pairKey(call.group, call.key), {
        module: title,
        action: call.title,
        module_code: call.group,
        action_code: call.key,
      })

/** Names of a row's codes; the codes themselves when a release that had them is gone. */
export function namesOf(row: { module_code: string; action_code: string }, language: Language) {
  const named = names.get(pairKey(row.module_code, row.action_code))
  return {
    module_name: named?.module[language] ?? row.module_code,
    action_name: named?.action[language] ?? row.action_code,
  }
}

/** Actions whose name, or whose module's name, contains `text` in this language. */
export function actionsNamed(text: string, language: Language): { module_code: string; action_code: string }[] {
  const wanted = text.toLowerCase()
  return [...names.values()].filter((named) =>
    [named.module, named.action].some((name) => name[language].toLowerCase().includes(wanted)),
  )
}

/** In which language somebody reads, and by the clock of which zone. */
export type Reader = { language: Language; zone: string }

/** What changed in the reader's language; as it was said then where this release has no such kind any more. */
export const trackOf = ({ table, kid, name = '', change, kind, details }: Track, { language, zone }: Reader) => ({
  table,
  table_name: changedThings[table as ChangedThing]?.[language] ?? table,
  kid,
  name,
  change: kind in changes ? changeText(kind, language, details, zone) : change,
})

const refusals = new Map(Object.entries(errors).map(([name, { result }]) => [result, name as ErrorName]))

/** What a row says in the reader's language; what was said then where this release has no such refusal any more. */
export function messageOf(
  row: { result: number; message: string; message_details: ErrorDetails | null },
  language: Language,
): string {
  const name = refusals.get(row.result)
  return name ? errorMessage(name, language, row.message_details ?? {}) : row.message
}

/** Codes of the refusals whose sentence contains `text` in this language. */
export function resultsSaying(text: string, language: Language): number[] {
  const wanted = text.toLowerCase()
  return Object.values(errors).flatMap(({ result, message }) =>
    message[language].toLowerCase().includes(wanted) ? [result] : [],
  )
}
