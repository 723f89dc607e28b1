import type { Fence } from '@mdm/device-link'
import type { Deps } from '../../../deps.ts'
import { unseal } from '../../../lib/sealed.ts'
import type { FenceInForce } from './effective.ts'

/** As it is kept with the configuration that a device ought to hold: the password sealed. */
export type SealedFence = Omit<Fence, 'lock_password'> & { password_sealed?: string }

export function forDevice({ is_locking, password_sealed, alarm_seconds, ...fence }: FenceInForce): SealedFence {
  return {
    ...fence,
    shape: 'circle',
    ...(alarm_seconds === null ? {} : { alarm_seconds }),
    ...(is_locking && password_sealed !== null ? { password_sealed } : {}),
  }
}

/** As it goes over the wire. */
export async function opened(deps: Deps, { password_sealed, ...fence }: SealedFence): Promise<Fence> {
  return password_sealed === undefined ? fence : { ...fence, lock_password: await unseal(deps, password_sealed) }
}
