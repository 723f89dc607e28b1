import type { IstageContent } from '@mdm/contract'
import { titleKey } from '../../../lib/sheet-table.ts'

/** A column of a sheet within a value: ${Store}. */
const variable = /\$\{([^{}\n]{1,64})\}/g

/** Names of the variables of a content, each once, as they were written first. */
export function variablesIn(content: IstageContent): string[] {
  const found = new Map<string, string>()
  for (const value of Object.values(content).flat().flatMap(Object.values))
    if (typeof value === 'string')
      for (const [, name = ''] of value.matchAll(variable))
        if (titleKey(name) !== '' && !found.has(titleKey(name))) found.set(titleKey(name), name.trim())
  return [...found.values()]
}

/** The content with what a row has for each variable; only its size where its values have more characters than `most`. */
export function withValues(
  content: IstageContent,
  values: Readonly<Record<string, string>>,
  most: number,
): { content?: IstageContent; bytes: number } {
  const of = new Map(Object.entries(values).map(([name, value]) => [titleKey(name), value]))
  const texts = Object.values(content)
    .flat()
    .flatMap(Object.values)
    .filter((value) => typeof value === 'string')
  let bytes = 0
  // Counted before anything is written: a value that is used a thousand times would fill the memory first.
  for (const text of texts) {
    bytes += text.length
    for (const [whole, name = ''] of text.matchAll(variable))
      bytes += (of.get(titleKey(name)) ?? whole).length - whole.length
    if (bytes > most) return { bytes }
  }
  const filled = (text: string) => text.replaceAll(variable, (whole, name: string) => of.get(titleKey(name)) ?? whole)
  return {
    bytes,
    content: Object.fromEntries(
      Object.entries(content).map(([module, entries]) => [
        module,
        entries.map((entry) =>
          Object.fromEntries(
            Object.entries(entry).map(([field, value]) => [field, typeof value === 'string' ? filled(value) : value]),
          ),
        ),
      ]),
    ),
  }
}
