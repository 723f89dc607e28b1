import { contract } from '@mdm/contract'
import type { Call, Language } from '@mdm/contract'

type Named = { value: string; label: string }
export type Module = Named & { actions: readonly Named[] }

/** What can appear in the log, by the names of the contract: every group that has a write, and its writes. */
export function modulesOf(language: Language): Module[] {
  return Object.values(contract)
    .flatMap(({ title, calls }): Module[] => {
      const writes = (Object.values(calls) as Call[]).filter(({ effect }) => effect === 'write')
      const [first] = writes
      if (!first) return []
      return [
        {
          value: first.group,
          label: title[language],
          actions: writes.map(({ key, title: action }) => ({ value: key, label: action[language] })),
        },
      ]
    })
    .sort((a, b) => a.label.localeCompare(b.label, language))
}
