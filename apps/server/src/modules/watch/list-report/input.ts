import type { ReportRequest } from '../../../db/schema/tables-export.ts'

/** Filters of the list; of a report that holds only what is new, with the time that it is about. */
export function inputOf(
  { input, new_by }: Pick<ReportRequest, 'input' | 'new_by'>,
  { from, until }: { from: Date; until: Date },
): Record<string, unknown> {
  if (!new_by) return input
  const [since, to] = [from.toISOString(), until.toISOString()]
  return new_by.until === undefined
    ? { ...input, [new_by.key]: { from: since, to } }
    : { ...input, [new_by.key]: since, [new_by.until]: to }
}
