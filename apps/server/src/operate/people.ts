import { errorMessage } from '@mdm/contract'
import type { Deps } from '../deps.ts'
import { resetPassword } from '../modules/people/account/index.ts'
import { activate } from '../modules/people/activation/index.ts'
import { Refusal } from '../refusal.ts'
import type { Answers } from './asks.ts'
import { OperatorFault } from './fault.ts'

export async function giveNewPassword(
  deps: Parameters<typeof resetPassword>[0],
  username: string,
): Promise<Answers['reset_password']> {
  try {
    return await resetPassword(deps, username)
  } catch (error) {
    if (error instanceof Refusal && error.refusal === 'not_found')
      throw new OperatorFault(`Nobody signs in as ${username} here.`)
    throw error
  }
}

export async function activateServer(deps: Deps, code: string): Promise<Answers['activate']> {
  try {
    const { name, ends_at } = await activate(deps, code)
    return { name, ends_at }
  } catch (error) {
    if (error instanceof Refusal) throw new OperatorFault(errorMessage(error.refusal, 'en', error.details))
    throw error
  }
}
