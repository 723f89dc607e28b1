import type { Call } from '@mdm/contract'
import { publicUrl } from '@mdm/server/addresses.ts'
import { softAuthenticator } from '@mdm/server/testing/authenticator.ts'
import type { Caller, Reply } from '../../caller.ts'
import type { Stage } from '../stage.ts'

/** In the shape of what a browser sends, for a challenge that nobody was given. */
export const strayAnswer = () => softAuthenticator('http://localhost').get({ challenge: 'AAAA', rpId: 'localhost' })
export const strayPasskey = () => softAuthenticator('http://localhost').create({ challenge: 'AAAA' })
/** For this challenge, but made at another page. */
export const strayPasskeyFor = (options: { challenge: string }) => softAuthenticator('http://elsewhere').create(options)

/** An authenticator at the public address of the world. */
export const authenticatorOf = ({ deps }: Stage) => softAuthenticator(publicUrl(deps))

/** The call, while the public address has no name. */
export async function withoutName({ deps }: Stage, who: Caller, call: Call): Promise<Reply<Call>> {
  const { public_url } = deps.config
  deps.config.public_url = 'https://192.0.2.1'
  try {
    return await who.try_(call, {})
  } finally {
    deps.config.public_url = public_url
  }
}
