import { isIP } from 'node:net'
import type { Contract, In } from '@mdm/contract'
import { constants } from '@mdm/contract'
import type { Kysely } from 'kysely'
import type { Actor } from '../../../actor.ts'
import { publicUrl } from '../../../addresses.ts'
import type { Tables } from '../../../db/schema/tables.ts'
import type { Deps } from '../../../deps.ts'
import type { Ctx } from '../../../http/context.ts'
import { forgetSessions } from '../../../http/session-cache.ts'
import { newKid } from '../../../lib/ids.ts'
import { refuse } from '../../../refusal.ts'
import { createStep, takeStep } from './steps.ts'

type Db = Kysely<Tables>
type Calls = Contract['account']['calls']
type Kind = 'passkey_add' | 'passkey_sign_in' | 'passkey_confirm'
type Answer = In<Contract['login']['calls']['passkey']>['answer']

const challenge_ms = 5 * 60_000
/** More than the devices that anybody has. */
const most = 20

/** Most people of most servers never need it, and it takes half a second to load. */
const webauthn = () => import('@simplewebauthn/server')

/** For whom passkeys are: a name, as browsers take no address for it, reached over https or on this machine. */
function partyOf(deps: Deps): { id: string; origin: string } | undefined {
  const { hostname, origin, protocol } = new URL(publicUrl(deps))
  const is_safe = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost')
  return is_safe && isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { id: hostname, origin } : undefined
}
/** The host that passkeys are of; null where there are none. */
export const passkeyHost = (deps: Deps): string | null => partyOf(deps)?.id ?? null
const assertParty = (deps: Deps) => partyOf(deps) ?? refuse('passkeys_off')

/** The challenge is the token of a step: one of all servers takes it, once. */
async function newChallenge(deps: Deps, kind: Kind, user_kid?: string): Promise<Uint8Array<ArrayBuffer>> {
  const { token } = await createStep(deps.db, deps, { kind, ...(user_kid && { user_kid }), lives_ms: challenge_ms })
  return new Uint8Array(Buffer.from(token, 'hex'))
}

/** The challenge that an answer is for, which is over by that. Refused as `passkey_expired`, also for another person's. */
async function takeChallenge(deps: Deps, kind: Kind, client_data: string, user_kid: string | null): Promise<string> {
  const challenge = challengeIn(client_data)
  const token = Buffer.from(challenge, 'base64url').toString('hex')
  const step = await takeStep(deps.db, deps, kind, token)
  if (!step || step.user_kid !== user_kid) refuse('passkey_expired')
  return challenge
}

function challengeIn(client_data: string): string {
  try {
    const said = JSON.parse(Buffer.from(client_data, 'base64url').toString()) as { challenge?: unknown }
    return typeof said.challenge === 'string' ? said.challenge : ''
  } catch {
    return ''
  }
}

export const listPasskeys = ({ deps, user }: Actor) =>
  deps.db
    .selectFrom('passkey')
    .select(['kid', 'name', 'is_synced', 'created_at', 'last_use_at'])
    .where('user_kid', '=', user.kid)
    .orderBy('created_at')
    .execute()

/** What a browser needs to make a passkey. Refused as `passkeys_off`. */
export async function beginPasskey({ deps, session: { user_kid, username, name } }: Ctx) {
  const party = assertParty(deps)
  const { generateRegistrationOptions } = await webauthn()
  const known = await deps.db
    .selectFrom('passkey')
    .select('credential_id as id')
    .where('user_kid', '=', user_kid)
    .execute()
  const options = await generateRegistrationOptions({
    rpName: 'MDM',
    rpID: party.id,
    userName: username,
    userDisplayName: name || username,
    userID: new Uint8Array(Buffer.from(user_kid)),
    challenge: await newChallenge(deps, 'passkey_add', user_kid),
    excludeCredentials: known,
    // Signing in asks for no name, and counts for both factors.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestationType: 'none',
  })
  return { options: { ...options } }
}

/** Refused as `passkey_expired`, `passkey_wrong`, and as `too_large` when there are too many. */
export async function addPasskey({ deps, user }: Actor, { name, answer }: In<Calls['passkey_add']>) {
  const { id, origin } = assertParty(deps)
  const challenge = await takeChallenge(deps, 'passkey_add', answer.response.clientDataJSON, user.kid)
  const { verifyRegistrationResponse } = await webauthn()
  const { verified, registrationInfo: made } = await verifyRegistrationResponse({
    response: answer as never,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
  }).catch((error: unknown) => wrong(deps, error))
  if (!verified) return refuse('passkey_wrong')
  const kid = newKid()
  await deps.db.transaction().execute(async (trx) => {
    // One at a time for each person, or they could count past each other.
    await trx.selectFrom('user_account').select('kid').where('kid', '=', user.kid).forUpdate().execute()
    const { count } = await trx
      .selectFrom('passkey')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('user_kid', '=', user.kid)
      .executeTakeFirstOrThrow()
    if (Number(count) >= most) refuse('too_large', { max: most })
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('passkey')
      .values({
        kid,
        user_kid: user.kid,
        name,
        credential_id: made.credential.id,
        public_key: Buffer.from(made.credential.publicKey),
        counter: made.credential.counter,
        transports: answer.response.transports ?? [],
        is_synced: made.credentialBackedUp,
        created_at: deps.clock.now(),
      })
      // Nobody's passkey becomes another person's.
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows === 0n) refuse('passkey_wrong')
  })
  return { kid }
}

/** Answers what it was called. Refused as `not_found`. */
export async function removePasskey({ deps, user }: Actor, kid: string): Promise<string> {
  const removed = await deps.db
    .deleteFrom('passkey')
    .where('kid', '=', kid)
    .where('user_kid', '=', user.kid)
    .returning('name')
    .executeTakeFirst()
  return removed?.name ?? refuse('not_found')
}

/** Somebody else has set the password of this person: whatever opened the account before opens it no more. */
export const dropPasskeys = async (db: Db, user_kid: string): Promise<void> =>
  void (await db.deleteFrom('passkey').where('user_kid', '=', user_kid).execute())

/** For anybody who wants to sign in (without `user_kid`), or for the person of a session. */
export async function passkeyChallenge(deps: Deps, user_kid?: string) {
  const party = assertParty(deps)
  const { generateAuthenticationOptions } = await webauthn()
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    challenge: await newChallenge(deps, user_kid ? 'passkey_confirm' : 'passkey_sign_in', user_kid),
    userVerification: 'required',
    ...(user_kid && { allowCredentials: await credentialsOf(deps, user_kid) }),
  })
  return { options: { ...options } }
}

async function credentialsOf({ db }: Deps, user_kid: string) {
  const rows = await db
    .selectFrom('passkey')
    .select(['credential_id as id', 'transports'])
    .where('user_kid', '=', user_kid)
    .execute()
  return rows
}

/**
 * Whose passkey has answered; `use` notes it in the transaction of what it is for. Refused as `passkey_expired`,
 * `passkey_wrong`.
 */
export async function verifyPasskey(deps: Deps, answer: Answer, user_kid?: string) {
  const { id, origin } = assertParty(deps)
  const kind = user_kid ? 'passkey_confirm' : 'passkey_sign_in'
  const challenge = await takeChallenge(deps, kind, answer.response.clientDataJSON, user_kid ?? null)
  const found = await deps.db
    .selectFrom('passkey as p')
    .innerJoin('user_account as u', 'u.kid', 'p.user_kid')
    .select(['p.kid', 'p.user_kid', 'p.credential_id', 'p.public_key', 'p.counter', 'u.username'])
    .where('p.credential_id', '=', answer.id)
    .$if(user_kid !== undefined, (q) => q.where('p.user_kid', '=', user_kid!))
    .executeTakeFirst()
  if (!found) return refuse('passkey_wrong')
  const { username } = found
  const counter = Number(found.counter)
  const { verifyAuthenticationResponse } = await webauthn()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: answer as never,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    credential: { id: found.credential_id, publicKey: new Uint8Array(found.public_key), counter },
    requireUserVerification: true,
  }).catch((error: unknown) => wrong(deps, error, username))
  if (!verified) return refuse('passkey_wrong', { username })
  const use = async (trx: Db): Promise<void> => {
    const { numUpdatedRows } = await trx
      .updateTable('passkey')
      .set({ counter: authenticationInfo.newCounter, last_use_at: deps.clock.now() })
      .where('kid', '=', found.kid)
      // A copy has signed meanwhile, or it was removed.
      .where('counter', '=', counter)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) refuse('passkey_wrong', { username })
  }
  return { user_kid: found.user_kid, use }
}

function wrong(deps: Deps, error: unknown, username?: string): never {
  deps.log.info({ err: error }, 'a passkey could not be verified')
  return refuse('passkey_wrong', username === undefined ? {} : { username })
}

/** As typing the password again: for the next minutes this session may do what asks for it. */
export async function confirmByPasskey({ deps, session }: Ctx, answer: Answer) {
  const { use } = await verifyPasskey(deps, answer, session.user_kid)
  const confirmed_at = deps.clock.now()
  await deps.db.transaction().execute(async (trx) => {
    await use(trx)
    await trx.updateTable('session').set({ confirmed_at }).where('kid', '=', session.kid).execute()
  })
  forgetSessions(deps)
  return { confirmed_until: new Date(confirmed_at.getTime() + constants.password_confirmed_minutes * 60_000) }
}
