// Not by the contract's index: readers of packages are processes that start for one file, and need little of it.
import { plainLine } from '@mdm/contract/text-keys.ts'

/** One line that can be stored and shown, and turns nothing round beside it; null when nothing is left. */
export const line = (text: string | null, max: number): string | null =>
  (text === null ? '' : plainLine(text.replace(/[\p{Cc}\p{Cs}\u2028\u2029]+/gu, ' '))).slice(0, max).toWellFormed() ||
  null
