import { vi } from 'vitest'
import { patience_ms } from './patience.ts'

const patient = Symbol.for('mdm.patient')
const { waitFor } = vi as typeof vi & { waitFor: { [patient]?: true } }
/** Vitest has a setting for `expect.poll`, and none for `vi.waitFor`, which gives up after a second unless it is told. */
const patiently: typeof waitFor = (look, options = {}) => {
  const asked = typeof options === 'number' ? { timeout: options } : options
  return waitFor(look, { ...asked, timeout: Math.max(patience_ms, asked.timeout ?? 0) })
}
// Files share a process, and this is run for each of them.
if (!waitFor[patient]) vi.waitFor = Object.assign(patiently, { [patient]: true as const })
