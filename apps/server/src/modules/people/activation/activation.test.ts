import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { constants, contract, errors } from '@mdm/contract'
import type { Envelope } from '@mdm/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { testApi } from '../../../testing/calls.ts'
import type { TestApi } from '../../../testing/calls.ts'
import { addTerminal } from '../../../testing/devices.ts'
import { takeSlot } from '../../fleet/enrolment/quota.ts'
import { activate, assertRoomForCustomer, expire, get, keepActivation, thisServer } from './index.ts'
import { ownMacs } from './here.ts'

const calls = contract.opsActivation.calls
const { report } = contract.activation.calls
const day_ms = 86_400_000
const named = ({ result }: Envelope) =>
  Object.entries(errors).find(([, entry]) => entry.result === result)?.[0] ?? (result === 1 ? 'done' : result)

/** The provider's server, and one at a customer. */
let provider: TestApi
let here: TestApi
let folder: string
let address: string | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mdm-activation-'))
  address = undefined
  ;[provider, here] = [await testApi(), await testApi()]
  const { key } = (await provider.call(calls.public_key, {}, provider.operator)).data
  here.deps.config.activation = { is_needed: true, key, file: undefined, report_url: undefined }
})
afterEach(async () => {
  expect([...provider.internal_errors, ...here.internal_errors]).toEqual([])
  await Promise.all([provider.close(), here.close()])
  await rm(folder, { recursive: true, force: true })
})

const after = (days: number) => new Date(provider.deps.clock.now().getTime() + days * day_ms).toISOString()
async function issue(terms: object = {}) {
  const draft = { name: 'Sunrise', max_devices: 2, max_accounts: 9, ends_at: after(90), ...terms }
  const { data } = await provider.call(calls.insert, draft, provider.operator)
  return read(data.kid)
}
const read = async (kid: string) => (await provider.call(calls.get, { kid }, provider.operator)).data
const enter = (code: string) => here.call(calls.activate, { code_token: code }, here.operator)
const own = async () => (await here.call(calls.this_server, {}, here.operator)).data
/** The server reports over HTTP, as often as it does by itself. */
async function tellOver() {
  if (!address) address = await provider.app.listen({ port: 0, host: '127.0.0.1' })
  here.deps.config.activation.report_url = address
  await keepActivation(here.deps)
}
/** After so many days the operator is not signed in any more. */
const later = () => thisServer(here.deps)
const slot = (account_kid: string) => here.deps.db.transaction().execute((trx) => takeSlot(here.deps, trx, account_kid))
const confirm = async (kid: string, receipt: string | null) =>
  provider.call(calls.confirm, { kid, receipt: receipt ?? '' }, provider.operator)
const newCustomer = (username: string) =>
  here.call(
    contract.opsAccount.calls.insert,
    { name: username, username, password: 'a'.repeat(40), terminal_max: 1 },
    here.operator,
  )

describe('a server that needs no activation', () => {
  it('is limited by nothing and takes no code', async () => {
    here.deps.config.activation.is_needed = false
    expect(await own()).toMatchObject({ state: 'not_needed', receipt: null })
    expect(named(await enter((await issue()).code))).toBe('activation_not_needed')
    expect(await slot(here.acme.kid)).toBe(undefined)
  })
})

describe('a code', () => {
  it('suggests two customers, and says for whom, how much and until when', async () => {
    const { data } = await provider.call(
      calls.insert,
      { name: 'Small', max_devices: constants.unlimited_devices, ends_at: after(30) },
      provider.operator,
    )
    expect(await read(data.kid)).toMatchObject({ max_accounts: 2, state: 'activating', issue: 1, macs: [] })
    await enter((await read(data.kid)).code)
    expect(await own()).toMatchObject({ state: 'active', name: 'Small', max_accounts: 2 })
    expect((await own()).max_devices).toBe(constants.unlimited_devices)
  })

  it('is refused when a letter of it is changed, or another provider has signed it', async () => {
    const { code } = await issue()
    const [head, payload, signature] = code.split('.') as [string, string, string]
    const raised = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { max_devices: number }
    const changed = Buffer.from(JSON.stringify({ ...raised, max_devices: 1_000 })).toString('base64url')
    expect(named(await enter(`${head}.${changed}.${signature}`))).toBe('activation_code_invalid')
    expect(named(await enter('what is this'))).toBe('activation_code_invalid')
    here.deps.config.activation.key = 'A'.repeat(43)
    expect(named(await enter(code))).toBe('activation_code_invalid')
  })

  it('is for the machines that it names', async () => {
    const foreign = await issue({ macs: ['00-1a-2b-3c-4d-5e'] })
    const refused = await enter(foreign.code)
    expect(named(refused)).toBe('activation_foreign_machine')
    expect(refused.message).toContain('00:1A:2B:3C:4D:5E')
    // The receipt is in the refusal: the provider learns of it.
    const receipt = /: ([\d-]+)$/.exec(refused.message)![1]!
    expect((await confirm(foreign.kid, receipt)).data.state).toBe('error')
    expect(await read(foreign.kid)).toMatchObject({ state: 'error', fault: 'foreign_machine' })
    const [mac] = ownMacs()
    if (mac) expect(named(await enter((await issue({ macs: [mac] })).code))).toBe('done')
  })

  it('comes with line breaks and from a file, which is read again when it changes', async () => {
    const file = join(folder, 'code.txt')
    here.deps.config.activation.file = file
    await keepActivation(here.deps)
    expect((await own()).state).toBe('missing')
    const { code } = await issue()
    await writeFile(file, `${code.replaceAll(/(.{40})/g, '$1\n')}\n`)
    await keepActivation(here.deps)
    expect((await own()).state).toBe('active')
    await writeFile(file, (await issue({ name: 'Of somebody else' })).code)
    here.deps.config.activation.key = 'A'.repeat(43)
    await keepActivation(here.deps)
    expect((await own()).state).toBe('missing')
  })

  it('from a file is not taken up again over one that was typed since, not even after a start', async () => {
    const file = join(folder, 'code.txt')
    here.deps.config.activation.file = file
    const [in_file, typed] = [await issue({ name: 'In the file' }), await issue({ name: 'Typed' })]
    await writeFile(file, in_file.code)
    await keepActivation(here.deps)
    await enter(typed.code)
    expect((await own()).name).toBe('Typed')
    const startAgain = () => {
      here.deps.memory.activation_file = undefined
      return keepActivation(here.deps)
    }
    await startAgain()
    expect((await own()).name).toBe('Typed')
    await writeFile(file, `${(await issue({ name: 'New in the file' })).code}\n`)
    await startAgain()
    expect((await own()).name).toBe('New in the file')
  })

  it('of an activation that was eliminated is refused for good, also its newer ones and after another', async () => {
    const first = await issue()
    await enter(first.code)
    await provider.call(calls.renew, { kid: first.kid, ends_at: after(400) }, provider.operator)
    const renewed = await read(first.kid)
    await provider.call(calls.eliminate, { kid: first.kid }, provider.operator)
    await tellOver()
    expect((await own()).state).toBe('eliminated')
    const refused = async () => expect(named(await enter(first.code))).toBe('activation_code_expired')
    await refused()
    expect(named(await enter(renewed.code))).toBe('activation_code_expired')
    provider.deps.clock.jump(1_000)
    expect(named(await enter((await issue({ name: 'Next' })).code))).toBe('done')
    await refused()
    expect(await own()).toMatchObject({ state: 'active', name: 'Next' })
  })
})

describe('limits', () => {
  it('count what was there before the code was entered', async () => {
    expect(await slot(here.acme.kid)).toBe('activation_missing')
    await addTerminal(here.deps, here.acme.kid)
    await enter((await issue()).code)
    expect(await slot(here.acme.kid)).toBe(undefined)
    await addTerminal(here.deps, here.acme.kid)
    expect(await slot(here.acme.kid)).toBe('registered_devices_exceed_limit')
    expect(await own()).toMatchObject({ devices: 2, max_devices: 2 })
  })

  it('hold for customers', async () => {
    const { accounts } = await own()
    expect(named(await newCustomer('too.early'))).toBe('activation_missing')
    await enter((await issue({ max_accounts: accounts + 1 })).code)
    expect(named(await newCustomer('the.last'))).toBe('done')
    expect(named(await newCustomer('one.more'))).toBe('registered_users_exceed_limit')
  })

  it('that are exceeded already are an error to the provider, and destroy nothing', async () => {
    for (const _ of [1, 2, 3]) await addTerminal(here.deps, here.acme.kid)
    const { kid, code } = await issue()
    expect(named(await enter(code))).toBe('done')
    const { receipt, devices } = await own()
    expect(devices).toBe(3)
    expect((await confirm(kid, receipt)).data.state).toBe('error')
    expect((await read(kid)).fault).toBe('over_limit')
  })

  it('end with the code, and devices go on', async () => {
    await enter((await issue({ ends_at: after(1) })).code)
    await addTerminal(here.deps, here.acme.kid)
    here.deps.clock.jump(2 * day_ms)
    expect(await later()).toMatchObject({ state: 'expired', devices: 1 })
    expect(await slot(here.acme.kid)).toBe('activation_expired')
    const added = here.deps.db.transaction().execute((trx) => assertRoomForCustomer(here.deps, trx))
    await expect(added).rejects.toThrow('activation_expired')
  })
})

describe('a receipt', () => {
  it('activates, however it is typed, and is of one code alone', async () => {
    const [first, other] = [await issue(), await issue()]
    await enter(first.code)
    const { receipt } = await own()
    expect(named(await confirm(other.kid, receipt))).toBe('activation_receipt_wrong')
    expect(named(await confirm(first.kid, '1-00000-00000-00000'))).toBe('activation_receipt_wrong')
    expect((await confirm(first.kid, ` ${receipt!.replaceAll('-', ' ')} `)).data.state).toBe('activated')
    await provider.call(calls.renew, { kid: first.kid, ends_at: after(400) }, provider.operator)
    expect(await read(first.kid)).toMatchObject({ state: 'activating', issue: 2, reported_at: null })
    expect(named(await confirm(first.kid, receipt))).toBe('activation_receipt_wrong')
    await enter((await read(first.kid)).code)
    expect((await confirm(first.kid, (await own()).receipt)).data.state).toBe('activated')
    // The code before it is no longer taken.
    expect(named(await enter(first.code))).toBe('activation_code_expired')
  })

  it('that a server reports says whether its activation was eliminated', async () => {
    const { kid, code } = await issue()
    await enter(code)
    const { receipt } = await own()
    const told = () => provider.call(report, { kid, receipt: receipt! })
    expect((await told()).data).toEqual({ ended: null, is_renewed: false })
    expect((await read(kid)).state).toBe('activated')
    await provider.call(calls.eliminate, { kid }, provider.operator)
    expect((await told()).data.ended).toMatch(/^MDMX1\./)
    expect(named(await provider.call(report, { kid, receipt: '1' }))).toBe('activation_receipt_wrong')
    expect(named(await provider.call(calls.renew, { kid, ends_at: after(9) }, provider.operator))).toBe('conflict')
  })
})

describe('a server that holds a code from before a renewal', () => {
  const renewedHere = async () => {
    const first = await issue()
    await enter(first.code)
    await tellOver()
    expect((await read(first.kid)).state).toBe('activated')
    await provider.call(calls.renew, { kid: first.kid, ends_at: after(400) }, provider.operator)
    here.deps.clock.jump(day_ms)
    await tellOver()
    return first.kid
  }

  it('hears that a newer one waits, and confirms nothing until that is entered', async () => {
    const kid = await renewedHere()
    expect(await thisServer(here.deps)).toMatchObject({ state: 'active', is_renewed: true, report_error: null })
    expect(await read(kid)).toMatchObject({ state: 'activating', issue: 2 })
    await activate(here.deps, (await read(kid)).code)
    expect((await thisServer(here.deps)).is_renewed).toBe(false)
    await tellOver()
    expect((await read(kid)).state).toBe('activated')
  })

  it('hears that its activation was eliminated', async () => {
    const kid = await renewedHere()
    await provider.call(calls.eliminate, { kid }, provider.operator)
    here.deps.clock.jump(day_ms)
    await tellOver()
    expect((await later()).state).toBe('eliminated')
  })
})

describe('time', () => {
  it('ends what the provider has issued', async () => {
    const draft = { name: 'Late', max_devices: 1, ends_at: after(-1) }
    expect(named(await provider.call(calls.insert, draft, provider.operator))).toBe('activation_code_expired')
    const { kid } = await issue({ ends_at: after(1) })
    provider.deps.clock.jump(day_ms)
    await expire(provider.deps)
    expect((await get(provider.deps, kid)).state).toBe('expired')
  })

  it('is not won by setting the clock back, not even over a start of the server', async () => {
    await enter((await issue({ ends_at: after(10) })).code)
    here.deps.clock.jump(9 * day_ms)
    await keepActivation(here.deps)
    here.deps.clock.jump(-9 * day_ms)
    delete here.deps.memory.activation
    expect(await later()).toMatchObject({ state: 'active', clock_back_ms: 9 * day_ms })
    await here.deps.clock.advance(2 * day_ms)
    expect((await later()).state).toBe('expired')
    // A newer code begins anew, by the provider's clock.
    provider.deps.clock.jump(1_000)
    await activate(here.deps, (await issue({ ends_at: after(90) })).code)
    expect((await later()).state).toBe('active')
  })

  it('goes on for a code that is entered again after the clock was set back', async () => {
    const older = await issue({ ends_at: after(10) })
    provider.deps.clock.jump(1_000)
    const newer = await issue({ ends_at: after(20) })
    await enter(newer.code)
    here.deps.clock.jump(12 * day_ms)
    expect((await later()).state).toBe('active')
    here.deps.clock.jump(-12 * day_ms)
    expect(named(await enter(older.code))).toBe('activation_code_expired')
  })
})

it('asks for the permission to activate, and keeps codes out of the operation log', async () => {
  const { code } = await issue()
  expect((await here.call(calls.activate, { code_token: code }, here.acme_root)).status).toBe(403)
  await enter(code)
  const rows = await here.deps.db.selectFrom('operation_log').select(['request', 'response']).execute()
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(code.slice(0, 30))
  expect(await thisServer(here.deps)).toMatchObject({ state: 'active' })
  await expect(activate(here.deps, 'nonsense')).rejects.toThrow('activation_code_invalid')
})
