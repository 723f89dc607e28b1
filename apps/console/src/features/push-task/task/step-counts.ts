import type { PushStep } from '@mdm/contract'

type Counts = PushStep['counts']

/** What the thresholds of a step are counted of (`stepVerdict`): not those that were canceled or left, who can do neither. */
export const judged = ({ total, completed, failed, canceled, gone }: Counts) => ({
  target_count: total - canceled - gone,
  completed,
  errors: failed - gone,
  not_counted: canceled + gone,
  open: total - completed - failed - canceled,
})

/** Rounded down, so that a threshold never seems reached before it is. */
export const percentOf = (part: number, whole: number): number => (whole > 0 ? Math.floor((part * 100) / whole) : 0)
