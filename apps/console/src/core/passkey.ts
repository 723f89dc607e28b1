import { errors } from '@mdm/contract'
import type { Out, Sent } from '@mdm/contract'
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import type { api } from './api.ts'
import { CallFailed } from './call-failed.ts'
import { translate } from '../i18n/translate.ts'

type Options = Out<typeof api.login.passkey_begin>['options']
type Answer = Sent<typeof api.login.passkey>['answer']
type Made = Sent<typeof api.account.passkey_add>['answer']

/** Loaded by those who use a passkey: the sign-in page is the first load of everyone. */
const webauthn = () => import('@simplewebauthn/browser')

/** Whether this browser can use passkeys of the host, which takes a page of that host. */
export const canUsePasskeys = (host: string | null | undefined): boolean =>
  host === location.hostname && typeof globalThis.PublicKeyCredential === 'function'

/** Has the person make a passkey. @throws CallFailed when that comes to nothing */
export const makePasskey = async (options: Options): Promise<Made> => {
  const { startRegistration } = await webauthn()
  const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON
  return (await startRegistration({ optionsJSON }).catch(notUsed)) as unknown as Made
}

/** Has the person use one. @throws CallFailed when that comes to nothing */
export const answerWithPasskey = async (options: Options): Promise<Answer> => {
  const { startAuthentication } = await webauthn()
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON
  return (await startAuthentication({ optionsJSON }).catch(notUsed)) as unknown as Answer
}

/** Browsers do not tell who turned away from what was missing. */
function notUsed(cause: unknown): never {
  throw new CallFailed(errors.passkey_wrong.result, translate('common:passkey_not_used'), {}, { cause })
}
