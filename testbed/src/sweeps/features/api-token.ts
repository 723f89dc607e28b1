import { constants, contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { by, refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { homeUser } from '../shared/users.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    api_token_kid: string
  }
}

/** Tokens of scripts. */
export const apiToken: Feature = {
  async make({ call, device }) {
    const draft = { name: device.sn, permissions: ['deviceList'], expires_in_days: 1 }
    return { api_token_kid: (await call.apiToken.insert(draft)).kid }
  },
  inputs: (t) => ({
    'api_token/list': {},
    'api_token/insert': { name: `New ${Math.random()}`, permissions: ['deviceList'], expires_in_days: 1 },
    'api_token/delete': { kid: t.api_token_kid },
  }),
  refusals,
  open_outside: Object.values(contract.apiToken.calls),
}

function refusals(s: Stage): Refusals {
  const draft = (name = s.unique('Token')) => ({ name, permissions: ['homeIndex'], expires_in_days: 1 })
  return refusalsOf(contract.apiToken.calls.insert, s.root, {
    role_beyond_own: async () => by((await homeUser(s)).call, { ...draft(), permissions: ['deviceList'] }),
    duplicate_name: async () => {
      await s.root.apiToken.insert(draft('Held'))
      return draft('HELD')
    },
    api_token_limit: async () => {
      const { call } = await homeUser(s)
      for (let i = 0; i < constants.api_tokens_max; i++) await call.apiToken.insert(draft())
      return by(call, draft())
    },
  })
}
