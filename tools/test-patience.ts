import { vi } from 'vitest'
import { patience_ms } from './patience.ts'

/** Vitest has a setting for `expect.poll`, and none for `vi.waitFor`, which gives up after a second. */
const patient = Symbol.for('mdm.patient')
const { waitFor } = vi as typeof vi & { waitFor: { [patient]?: true } }
// Files share a process, and this is run for each of them.
if (!waitFor[patient])
  vi.waitFor = Object.assign(
    ((look, options) =>
      waitFor(look, {
        interval: 20,
        ...(typeof options === 'object' && options),
        timeout: patience_ms,
      })) as typeof vi.waitFor,
    { [patient]: true as const },
  )
