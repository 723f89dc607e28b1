import { seal, unseal } from '../../../../lib/sealed.ts'
import { refuse } from '../../../../refusal.ts'
import type { Kind } from './kind.ts'

/** A password is sealed at rest and kept for as long as a device may still have to be told it. */
export const lock: Kind<'lock'> = {
  store: async ({ deps }, { password }) => ({
    payload: password === undefined ? {} : { password_sealed: await seal(deps, password) },
    summary: '',
  }),

  shown: () => ({}),

  keptSecret: (stored, { password_sealed }) =>
    password_sealed === undefined ? stored : { password_sealed, ...stored },

  async toDevice(deps, { password_sealed, is_password_dropped }) {
    // A lock that has lost its password would lock with another one, or with none.
    if (is_password_dropped) throw new Error('its password is no longer stored')
    return password_sealed === undefined ? {} : { password: await unseal(deps, password_sealed as string) }
  },

  redacts: { key: 'password_sealed', redacted: { is_password_dropped: true } },

  assertRetry({ is_password_dropped }) {
    if (is_password_dropped) refuse('task_password_gone')
  },
}
