import { contract } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import { receiptOf, signCode } from '@mdm/server/modules/people/activation/code.ts'
import { activate, signingKey } from '@mdm/server/modules/people/activation/index.ts'
import type { Deps } from '@mdm/server/deps.ts'
import type { Caller } from '../../caller.ts'
import type { Feature } from '../feature.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusal, Refusals } from '../refusals.ts'
import { accountDraft } from '../shared/accounts.ts'
import { ask } from './enrolment.ts'
import { announce } from '../stage.ts'
import type { Stage } from '../stage.ts'

const { calls } = contract.opsActivation
const later = () => new Date(Date.now() + 86_400_000).toISOString()
const past = '2020-01-01T00:00:00.000Z'
const terms = { name: 'Swept', max_devices: 1_000, max_accounts: 1_000 }

/** Activations are the provider's; no kid is any customer's. */
export const activation: Feature = {
  inputs: (t) => ({
    'ops/activation/paging': {},
    'ops/activation/get': { kid: t.log_kid },
    'ops/activation/code_file': { kid: t.log_kid },
    'ops/activation/public_key': {},
    'ops/activation/insert': { ...terms, ends_at: later() },
    'ops/activation/renew': { kid: t.log_kid, ends_at: later() },
    'ops/activation/eliminate': { kid: t.log_kid },
    'ops/activation/confirm': { kid: t.log_kid, receipt: '1' },
    'activation/report': { kid: t.log_kid, receipt: '1' },
    'ops/activation/this_server': {},
    'ops/activation/activate': { code_token: 'swept' },
  }),
  refusals,
}

async function refusals(s: Stage): Promise<Refusals> {
  const { operator, deps } = s
  const made = async () => (await operator.opsActivation.insert({ ...terms, ends_at: later() })).kid
  const over = async () => {
    const kid = await made()
    await operator.opsActivation.eliminate({ kid })
    return kid
  }
  /** A call to a server that needs an activation, which it has not. */
  const unactivated = (who: Caller, call: Call, make: () => Promise<unknown>): Refusal =>
    needing(deps, async () => who.try_(call, await make()))
  /** The same where it had one that has ended. */
  const ended = (who: Caller, call: Call, make: () => Promise<unknown>): Refusal =>
    needing(deps, async () => {
      const input = await make()
      await hold(deps, {})
      await deps.db.updateTable('activation_here').set({ ended_at: new Date() }).execute()
      return who.try_(call, input)
    })
  const entering = (make: () => Promise<string>): Refusal =>
    needing(deps, async () => operator.try_(calls.activate, { code_token: await make() }))
  const { manual_registered, qrcode_registered_cache } = contract.terminal.calls
  const { accept_waiting } = contract.terminalQrcode.calls
  const device = (sn: string) => () => announce(s.w.url, sn)
  const asking = (sn: string) => async () => ({ kid: await ask(s.w.url, s.root, sn) })
  const customer = async () => accountDraft(s)
  const add = contract.opsAccount.calls.insert
  return {
    ...refusalsOf(calls.insert, operator, { activation_code_expired: () => ({ ...terms, ends_at: past }) }),
    ...refusalsOf(calls.renew, operator, {
      activation_code_expired: async () => ({ kid: await made(), ends_at: past }),
      conflict: async () => ({ kid: await over(), ends_at: later() }),
    }),
    ...refusalsOf(calls.eliminate, operator, { conflict: async () => ({ kid: await over() }) }),
    ...refusalsOf(calls.confirm, operator, {
      activation_receipt_wrong: async () => ({ kid: await made(), receipt: '1-00000' }),
      conflict: async () => {
        const kid = await made()
        const { code } = await operator.opsActivation.get({ kid })
        await operator.opsActivation.eliminate({ kid })
        return { kid, receipt: receiptOf(code, 'activated') }
      },
    }),
    ...refusalsOf(contract.activation.calls.report, s.w.anonymous, {
      activation_receipt_wrong: () => ({ kid: unknownKid, receipt: '1' }),
    }),
    ...refusalsOf(calls.activate, operator, { activation_not_needed: () => ({ code_token: 'any' }) }),
    'ops/activation/activate activation_code_invalid': entering(async () => 'MDM1.no.code'),
    'ops/activation/activate activation_code_expired': entering(() =>
      codeOf(deps, { ends_at: past, starts_at: '2019-01-01T00:00:00.000Z' }),
    ),
    'ops/activation/activate activation_foreign_machine': entering(() => codeOf(deps, { macs: ['02:00:00:00:00:01'] })),
    [`${manual_registered.path} activation_missing`]: unactivated(s.root, manual_registered, device('UNACTIVATED')),
    [`${manual_registered.path} activation_expired`]: ended(s.root, manual_registered, device('TOO-LATE')),
    [`${accept_waiting.path} activation_missing`]: unactivated(s.root, accept_waiting, asking('UNACTIVATED-TO-LET-IN')),
    [`${accept_waiting.path} activation_expired`]: ended(s.root, accept_waiting, asking('TOO-LATE-TO-LET-IN')),
    [`${qrcode_registered_cache.path} activation_missing`]: unactivated(
      s.root,
      qrcode_registered_cache,
      async () => ({}),
    ),
    [`${qrcode_registered_cache.path} activation_expired`]: ended(s.root, qrcode_registered_cache, async () => ({})),
    [`${add.path} activation_missing`]: unactivated(operator, add, customer),
    [`${add.path} activation_expired`]: ended(operator, add, customer),
    [`${add.path} registered_users_exceed_limit`]: needing(deps, async () => {
      await hold(deps, { max_accounts: 1 })
      return operator.try_(add, await customer())
    }),
  }
}

/** What the provider of this world signs. */
const codeOf = async (deps: Deps, said: object): Promise<string> => {
  const payload = {
    kid: unknownKid,
    issue: 1,
    ...terms,
    macs: [],
    starts_at: new Date().toISOString(),
    ends_at: later(),
  }
  return signCode(await signingKey(deps), { ...payload, ...said })
}

const hold = async (deps: Deps, said: object): Promise<void> => void (await activate(deps, await codeOf(deps, said)))

/** As if this server were one at a customer, which its own provider activates. */
const needing =
  <T>(deps: Deps, run: () => Promise<T>) =>
  async (): Promise<T> => {
    const before = deps.config.activation
    deps.config.activation = { ...before, is_needed: true, key: (await signingKey(deps)).public_key }
    try {
      return await run()
    } finally {
      deps.config.activation = before
      await deps.db.deleteFrom('activation_here').execute()
    }
  }
