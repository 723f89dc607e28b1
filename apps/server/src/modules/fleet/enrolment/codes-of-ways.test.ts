import { createHash, randomBytes } from 'node:crypto'
import { contract, errors } from '@mdm/contract'
import type { Call, Envelope } from '@mdm/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testHttpServer } from '../../../testing/http-server.ts'
import type { TestHttpServer } from '../../../testing/http-server.ts'
import { newKid } from '../../../lib/ids.ts'
import { readSheet } from '../../../lib/sheet-read.ts'
import { createAccount } from '../../people/account/index.ts'

type Person = Awaited<ReturnType<TestHttpServer['person']>>
const { terminal, terminalBatch, terminalQrcode, opsTerminalBatch } = contract

let w: TestHttpServer
let root: Person
let operator: Person
beforeAll(async () => {
  w = await testHttpServer()
  root = await customer()
  const { kid } = await createAccount(w.deps.db, { type: 101, name: 'Provider' })
  operator = await w.person(['externalUserManageList:register'], { account_kid: kid })
  await w.deps.db.updateTable('user_account').set({ type: 101 }).where('kid', '=', operator.user_kid).execute()
})
afterAll(async () => {
  expect(w.internal_errors).toEqual([])
  await w?.close()
})

async function customer(terminal_max = 1_000): Promise<Person> {
  const { kid } = await createAccount(w.deps.db, { type: 1, name: newKid(), terminal_max })
  return w.person(['deviceList*'], { account_kid: kid })
}
const full = () => customer(0)

function send(who: Person, call: Call, input: object): Promise<Response> {
  return fetch(`${w.url}/api/${call.path}`, {
    method: 'POST',
    headers: { ...who.bearer, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
}
const resultOf = async (reply: Promise<Response>) => ((await (await reply).json()) as Envelope).result

type Device = { sn: string; claim: string; code: string }
const device = (path: string, body: object) =>
  fetch(`${w.url}/device/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
async function announced(): Promise<Device> {
  const sn = `WAY-${randomBytes(5).toString('hex')}`
  const claim = randomBytes(32).toString('hex')
  const claim_hash = createHash('sha256').update(claim).digest('hex')
  const said = { model: 'M', os_name: 'L', os_version: '6', service_version: '1', protocol_version: 1 }
  const reply = await device('announce', { sn, claim_hash, ...said })
  const { registration_code } = (await reply.json()) as { registration_code: string }
  return { sn, claim, code: registration_code }
}
async function registered(): Promise<Device> {
  const made = await announced()
  const input = { sn: made.sn, registration_code: made.code }
  expect(await resultOf(send(root, terminal.calls.manual_registered, input))).toBe(1)
  return made
}

type Asked = { sn: string; code?: string; name?: string; group?: string; who?: Person }
/** One device by hand, or in a sheet: of the account itself or by an operator; the result that stands for it. */
const ways: Record<string, (asked: Asked) => Promise<number>> = {
  'by code': ({ sn, code = 'AAAAAA', name = '', group = 'NO_GROUP', who = root }) =>
    resultOf(
      send(who, terminal.calls.manual_registered, { sn, registration_code: code, name, terminal_group_kid: group }),
    ),
  'in a sheet': ({ sn, code = 'AAAAAA', name = '', group = 'NO_GROUP', who = root }) =>
    rowResult(
      send(who, terminalBatch.calls.batch_registered, {
        terminalDtos: [{ sn, work_order: 'WO', verification_code: code, name }],
        terminalGroupKid: group,
        schedule_version: newKid(),
      }),
    ),
  'in a sheet of an operator': ({ sn, code = 'AAAAAA', name = '', group = 'NO_GROUP', who = root }) =>
    rowResult(
      send(operator, opsTerminalBatch.calls.account_batch_registered, {
        accountRegisteredTerminalDtos: [
          { sn, work_order: 'WO', verification_code: code, name, account_kid: who.account_kid },
        ],
        terminalGroupKid: group,
        schedule_version: newKid(),
      }),
    ),
}
/** Of the only row, or of the refusal of the whole sheet. */
async function rowResult(reply: Promise<Response>): Promise<number> {
  const response = await reply
  if (response.headers.get('content-type')?.startsWith('application/json'))
    return ((await response.json()) as Envelope).result
  let titles = 0
  for await (const { n, cells } of readSheet(Buffer.from(await response.arrayBuffer())))
    if (n === 1) titles = cells.length
    // Before the last column, which says it in words.
    else return Number(cells[titles - 2]?.text)
  throw new Error('the result has no row')
}

describe.each(Object.entries(ways))('registering %s', (_, register) => {
  it.each<[number, string, () => Promise<Asked>]>([
    [1, 'a device that waits', async () => announced()],
    [40017, 'an SN of 37 characters', async () => ({ sn: 'x'.repeat(37) })],
    [40018, 'an alias of 37 characters', async () => ({ ...(await announced()), name: 'x'.repeat(37) })],
    [40019, 'an alias with a percent sign', async () => ({ ...(await announced()), name: '100%' })],
    [40020, 'an SN that nobody announced', async () => ({ sn: `NOBODY-${newKid().slice(-6)}` })],
    [40021, 'a device that is registered', async () => registered()],
    [40022, 'a wrong code', async () => ({ ...(await announced()), code: 'AAAAA1' })],
    [40023, 'into an account without room', async () => ({ ...(await announced()), who: await full() })],
    [40024, 'into a group that is not there', async () => ({ ...(await announced()), group: newKid() })],
  ])('answers %i to %s', async (result, _what, make) => {
    expect(await register(await make())).toBe(result)
  })
})

type Code = { qrcode_kid: string; token: string }
/** QR codes: one-time, permanent and of Android Enterprise. */
const codes: Record<string, (who: Person, group?: string) => Promise<Code | number>> = {
  'a one-time QR code': (who, group = 'NO_GROUP') =>
    codeFrom(send(who, terminal.calls.qrcode_registered_cache, { terminal_group_kid: group })),
  'a permanent QR code': (who, group = 'NO_GROUP') =>
    codeFrom(send(who, terminalQrcode.calls.qrcode_forever_registered, { terminal_group_kid: group })),
  'an Android Enterprise QR code': (who, group = 'NO_GROUP') =>
    codeFrom(
      send(who, terminalQrcode.calls.qrcode_gms_registered, {
        terminal_group_kid: group,
        component_name: 'com.example.agent/.Admin',
        download_url: 'https://example.com/agent.apk',
        signature_checksum: 'A'.repeat(43),
      }),
    ),
}
async function codeFrom(reply: Promise<Response>): Promise<Code | number> {
  const { result, data } = (await (await reply).json()) as { result: number; data: Record<string, string> }
  if (result !== 1) return result
  const token = /qr=([0-9a-f]{64})/.exec(JSON.stringify(data))?.[1] ?? /[0-9a-f]{64}/.exec(JSON.stringify(data))![0]
  return { qrcode_kid: (data['qrcode_kid'] ?? data['kid'])!, token }
}
const enrol = async ({ sn, claim }: Device, { token }: Code) =>
  resultOfDevice(await device('enrol', { sn, claim, qrcode: token }))
async function resultOfDevice(reply: Response): Promise<number> {
  const body = (await reply.json()) as { result?: number }
  return body.result ?? 1
}

describe.each(Object.entries(codes))('registering with %s', (name, make) => {
  const made = async (who: Person) => (await make(who)) as Code

  it('answers 40024 to a group that is not there', async () => {
    expect(await make(root, newKid())).toBe(errors.group_unknown.result)
  })
  it('answers 1 to a device that waits, 40020 to one that never announced itself', async () => {
    const code = await made(root)
    expect(await enrol({ sn: 'WAY-NOBODY', claim: 'a'.repeat(64), code: '' }, code)).toBe(40020)
    expect(await enrol(await announced(), code)).toBe(1)
  })
  it('answers 40021 to an SN that somebody else has registered', async () => {
    const { sn } = await registered()
    expect(await enrol({ sn, claim: 'b'.repeat(64), code: '' }, await made(root))).toBe(40021)
  })
  it('answers 40023 where there is no room any more', async () => {
    const who = await customer(1)
    const code = await made(who)
    await w.deps.db.updateTable('account').set({ terminal_max: 0 }).where('kid', '=', who.account_kid).execute()
    expect(await enrol(await announced(), code)).toBe(40023)
  })
  it('answers 40025 to a code that is used, revoked or none', async () => {
    const one = await announced()
    expect(await enrol(one, { token: 'f'.repeat(64), qrcode_kid: '' })).toBe(40025)
    const code = await made(root)
    if (name.includes('one-time')) expect(await enrol(await announced(), code)).toBe(1)
    else expect(await resultOf(send(root, terminalQrcode.calls.revoke, { kid: code.qrcode_kid }))).toBe(1)
    expect(await enrol(one, code)).toBe(40025)
  })
})
