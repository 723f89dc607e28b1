import { createHash } from 'node:crypto'
import { contract, errors } from '@mdm/contract'
import type { Call, ErrorName } from '@mdm/contract'
import { createAccount, createRole, createUser } from '@mdm/server/modules/account/service.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller, Reply } from '../caller.ts'
import { demoPassword, signedIn } from '../seed.ts'
import { createUpload, uploadFile } from '../upload.ts'
import { until } from '../until.ts'
import { world } from '../world.ts'
import type { World } from '../world.ts'
import { announce, everyCall } from './inputs.ts'

let w: World
let root: Caller
let device: string
beforeAll(async () => {
  w = await world({ agents: 1 })
  root = w.customers[0]!
  device = w.devices[0]!.kid
})
afterAll(() => w[Symbol.asyncDispose]())

const nowhere = '01890000-0000-7000-8000-000000000000'
const long = 'x'.repeat(37)
const { login, terminal, terminalGroup, pushTask, fileCloud, opsClientCode } = contract
type Provoke = () => Promise<Reply<Call>>
const by =
  (call: Call, input: () => unknown, who: () => Caller = () => root): Provoke =>
  async () =>
    who().try_(call, await input())

const group = async (name: string, parent_kid = 'ROOT') => (await root.terminalGroup.insert({ name, parent_kid })).kid
const unique = (() => {
  let n = 0
  return (what: string) => `${what} ${++n}`
})()
const chain = async (length: number): Promise<string> => {
  let kid = await group(unique('Chain'))
  for (let depth = 2; depth <= length; depth++) kid = await group(unique('Link'), kid)
  return kid
}
const upload = (name: string) => uploadFile(root, name, Buffer.from(name))
/** A device that is registered and never comes: its pushes wait. */
const absent = async () =>
  (await root.terminal.manual_registered(await announce(w.url, unique('ABSENT').replace(' ', '-')))).kid
const pushed = async (terminal_kid: string) =>
  (await root.pushTask.insert({ type: 'message', payload: { title: 't', text: 't' }, terminal_kids: [terminal_kid] }))
    .kid
const puzzleOffset = async (kid: string) =>
  (await w.server.deps.db.selectFrom('puzzle').select('offset_x').where('kid', '=', kid).executeTakeFirstOrThrow())
    .offset_x
const drag = (x: number, ms: number) => ({
  x,
  track: [
    { x: 0, t: 0 },
    { x: x / 2, t: ms / 2 },
    { x, t: ms },
  ],
})

async function answered(move: (x: number) => { x: number; track: { x: number; t: number }[] }, wait_ms = 350) {
  const { puzzle_kid } = await w.anonymous.login.puzzle({})
  // A puzzle is not to be solved faster than a hand can; this is that rule, not a guess at the machine's speed.
  await new Promise((resolve) => setTimeout(resolve, wait_ms))
  return { puzzle_kid, ...move(await puzzleOffset(puzzle_kid)) }
}
const puzzleToken = async () => (await w.anonymous.login.check_puzzle(await answered((x) => drag(x, 340)))).puzzle_token
const password = (text: string) => createHash('sha1').update(text).digest('hex')
const attempt = async (username: string, secret: string) => ({
  username,
  password: password(secret),
  puzzle_token: await puzzleToken(),
})

/** A sub-account with room of its own under a root without any. */
async function fullFamily(): Promise<Caller> {
  const { db } = w.server.deps
  const name = unique('Full')
  const parent = await createAccount(db, { type: 1, name, terminal_max: 0, sub_accounts_allowed: true })
  const child = await createAccount(db, { type: 2, parent_kid: parent.kid, name: `${name} child`, terminal_max: 5 })
  const role = await createRole(db, { account_kid: child.kid, code: 'owner', name: 'Owner', permissions: ['*'] })
  const user = await createUser(db, {
    account_kid: child.kid,
    type: 2,
    username: name.replace(' ', '.'),
    name,
    password: demoPassword,
    role_kids: [role.kid],
  })
  return signedIn(w.url, w.server.deps, { user_kid: user.kid })
}
async function fullAccount(): Promise<Caller> {
  await w.server.deps.db
    .updateTable('account')
    .set({ terminal_max: 0 })
    .where('kid', '=', w.seed.customers[2]!.account_kid)
    .execute()
  return w.customers[2]!
}

/** How each refusal that a call declares comes about. */
const provocations: Record<string, Provoke> = {
  'login/check_puzzle puzzle_too_fast': by(login.calls.check_puzzle, () => answered((x) => drag(x, 100))),
  'login/check_puzzle puzzle_too_slow': by(login.calls.check_puzzle, () => answered((x) => drag(x, 31_000))),
  'login/check_puzzle puzzle_misaligned': by(login.calls.check_puzzle, () =>
    answered((x) => drag(x > 100 ? x - 20 : x + 20, 340)),
  ),
  'login/check_puzzle puzzle_expired': by(login.calls.check_puzzle, async () => {
    const right = await answered((x) => drag(x, 340))
    await w.anonymous.login.check_puzzle(right)
    return right
  }),
  'login/login login_failed': by(login.calls.login, () => attempt('sunrise', 'Wrong-1!')),
  'login/login login_locked': by(login.calls.login, async () => {
    for (let i = 0; i < 5; i++) await w.anonymous.try_(login.calls.login, await attempt('locked.out', 'Wrong-1!'))
    return attempt('locked.out', 'Wrong-1!')
  }),
  'login/login no_role': by(login.calls.login, async () => {
    const { account_kid } = w.seed.customers[0]!
    await createUser(w.server.deps.db, {
      account_kid,
      type: 3,
      username: 'roleless',
      name: 'Roleless',
      password: demoPassword,
    })
    return attempt('roleless', demoPassword)
  }),
  'login/login puzzle_expired': by(login.calls.login, () => ({
    username: 'sunrise',
    password: password(demoPassword),
    puzzle_token: 'spent',
  })),
  'terminal/manual_registered sn_too_long': by(terminal.calls.manual_registered, () => ({
    sn: long,
    registration_code: 'AAAAAA',
  })),
  'terminal/manual_registered alias_too_long': by(terminal.calls.manual_registered, () => ({
    sn: 'A',
    registration_code: 'A',
    name: long,
  })),
  'terminal/manual_registered alias_has_percent': by(terminal.calls.manual_registered, () => ({
    sn: 'A',
    registration_code: 'A',
    name: '5%',
  })),
  'terminal/manual_registered device_unknown': by(terminal.calls.manual_registered, () => ({
    sn: 'NEVER-SEEN',
    registration_code: 'AAAAAA',
  })),
  'terminal/manual_registered device_already_registered': by(terminal.calls.manual_registered, () => ({
    sn: w.devices[0]!.sn,
    registration_code: 'AAAAAA',
  })),
  'terminal/manual_registered registration_code_mismatch': by(terminal.calls.manual_registered, async () => ({
    ...(await announce(w.url, 'MISMATCH')),
    registration_code: '!',
  })),
  'terminal/manual_registered account_device_limit': by(
    terminal.calls.manual_registered,
    () => announce(w.url, 'NO-PLACE'),
    () => w.customers[2]!,
  ),
  'terminal/manual_registered registered_devices_exceed_limit': async () =>
    (await fullFamily()).try_(terminal.calls.manual_registered, await announce(w.url, 'NO-PLACE-ABOVE')),
  'terminal/manual_registered group_unknown': by(terminal.calls.manual_registered, async () => ({
    ...(await announce(w.url, 'GROUPLESS')),
    terminal_group_kid: nowhere,
  })),
  'terminal/manual_registered device_scrapped': by(terminal.calls.manual_registered, async () => {
    const { deps } = w.server
    await deps.db
      .insertInto('scrapped_sn')
      .values({ sn: 'SCRAPPED', account_kid: w.seed.customers[0]!.account_kid, scrapped_at: deps.clock.now() })
      .execute()
    return { sn: 'SCRAPPED', registration_code: 'AAAAAA' }
  }),
  'terminal/qrcode_registered_cache group_unknown': by(terminal.calls.qrcode_registered_cache, () => ({
    terminal_group_kid: nowhere,
  })),
  'terminal/qrcode_registered_cache account_device_limit': async () =>
    (await fullAccount()).try_(terminal.calls.qrcode_registered_cache, {}),
  'terminal/update alias_too_long': by(terminal.calls.update, () => ({ kid: device, name: long })),
  'terminal/update alias_has_percent': by(terminal.calls.update, () => ({ kid: device, name: '100%' })),
  'terminal/move_group_batch group_unknown': by(terminal.calls.move_group_batch, () => ({
    terminal_kids: [device],
    terminal_group_kid: nowhere,
  })),
  'terminal/move_group_batch device_not_found': by(terminal.calls.move_group_batch, () => ({
    terminal_kids: [device, nowhere],
    terminal_group_kid: 'NO_GROUP',
  })),
  'terminal/batch_cancel device_not_found': by(terminal.calls.batch_cancel, () => ({
    terminalKids: [device, nowhere],
    confirm: 'DELETE',
  })),
  'terminal/batch_cancel confirm_text_wrong': by(terminal.calls.batch_cancel, () => ({
    terminalKids: [device],
    confirm: 'delete',
  })),
  'terminal_group/insert group_name_taken': by(terminalGroup.calls.insert, async () => {
    await group('Taken')
    return { name: 'TAKEN' }
  }),
  'terminal_group/insert group_too_deep': by(terminalGroup.calls.insert, async () => ({
    name: 'Eleventh',
    parent_kid: await chain(10),
  })),
  'terminal_group/insert group_unknown': by(terminalGroup.calls.insert, () => ({
    name: 'Orphan',
    parent_kid: nowhere,
  })),
  'terminal_group/update group_name_taken': by(terminalGroup.calls.update, async () => {
    await group('Held')
    return { kid: await group(unique('Renamed')), name: 'held' }
  }),
  'terminal_group/move group_name_taken': by(terminalGroup.calls.move, async () => {
    const target = await group(unique('Target'))
    await group('Twin', target)
    return { kid: await group('Twin'), target_parent_kid: target }
  }),
  'terminal_group/move group_too_deep': by(terminalGroup.calls.move, async () => {
    const kid = await group(unique('Tall'))
    await group(unique('Below'), kid)
    return { kid, target_parent_kid: await chain(9) }
  }),
  'terminal_group/move group_into_itself': by(terminalGroup.calls.move, async () => {
    const kid = await group(unique('Loop'))
    return { kid, target_parent_kid: await group(unique('Inner'), kid) }
  }),
  'terminal_group/move group_unknown': by(terminalGroup.calls.move, async () => ({
    kid: await group(unique('Lost')),
    target_parent_kid: nowhere,
  })),
  'terminal_group/delete group_name_taken': by(terminalGroup.calls.delete, async () => {
    await group('Namesake')
    const kid = await group(unique('Dissolved'))
    await group('Namesake', kid)
    return { kid }
  }),
  'terminal_group/delete delete_failed': by(terminalGroup.calls.delete, async () => {
    const kid = await group(unique('Only reach'))
    const { account_kid, users } = w.seed.customers[0]!
    await w.server.deps.db
      .insertInto('terminal_group_user_manged')
      .values({ account_kid, user_kid: users[1]!.user_kid, terminal_group_kid: kid })
      .execute()
    return { kid }
  }),
  'push_task/insert device_not_found': by(pushTask.calls.insert, () => ({
    type: 'restart',
    payload: {},
    terminal_kids: [nowhere],
  })),
  'push_task/insert group_unknown': by(pushTask.calls.insert, () => ({
    type: 'restart',
    payload: {},
    terminal_group_kid: nowhere,
  })),
  'push_task/insert task_create_failed': by(pushTask.calls.insert, async () => ({
    type: 'restart',
    payload: {},
    terminal_group_kid: await group(unique('Empty')),
  })),
  'push_task/cancel task_not_cancelable': by(pushTask.calls.cancel, async () => {
    const push_task_kid = await pushed(await absent())
    await root.pushTask.cancel({ push_task_kid })
    return { push_task_kid }
  }),
  'push_task/retry task_running': by(pushTask.calls.retry, async () => ({
    push_task_kid: await pushed(await absent()),
  })),
  'push_task/retry task_not_retryable': by(pushTask.calls.retry, async () => {
    const push_task_kid = await pushed(device)
    await until('the message to be shown', async () => (await root.pushTask.get({ kid: push_task_kid })).result)
    return { push_task_kid }
  }),
  'file_cloud/insert file_name_invalid': by(fileCloud.calls.insert, async () => ({
    upload_kid: await upload('a'),
    name: 'a/b.txt',
  })),
  'file_cloud/insert upload_not_finished': by(fileCloud.calls.insert, async () => ({
    upload_kid: await createUpload(root, 'half.bin', 1000),
    name: 'half.bin',
  })),
  'file_cloud/insert duplicate_name': by(fileCloud.calls.insert, async () => {
    await root.fileCloud.insert({ upload_kid: await upload('b'), name: 'same.txt' })
    return { upload_kid: await upload('c'), name: 'Same.TXT' }
  }),
  'file_cloud/insert file_transfer_failed': by(fileCloud.calls.insert, async () => {
    const upload_kid = await upload('d')
    const { deps } = w.server
    const { object } = await until('the upload to be hashed', () =>
      deps.db
        .selectFrom('upload')
        .select('object')
        .where('kid', '=', upload_kid)
        .where('finished_at', 'is not', null)
        .executeTakeFirst(),
    )
    await deps.objects.delete(object!)
    return { upload_kid, name: 'lost.txt' }
  }),
  'file_cloud/delete delete_failed': by(fileCloud.calls.delete, async () => {
    const file = await root.fileCloud.insert({ upload_kid: await upload('e'), name: 'in use.txt' })
    await root.pushTask.insert({
      type: 'file',
      payload: { file_kids: [file.kid], path: '/data' },
      terminal_kids: [await absent()],
    })
    return { kid: file.kid }
  }),
  'ops/client_code/insert duplicate_code': by(
    opsClientCode.calls.insert,
    async () => {
      await w.operator.opsClientCode.insert({ code: 'AAAA1', name: 'First' })
      return { code: 'aaaa1', name: 'Second' }
    },
    () => w.operator,
  ),
  'ops/client_code/insert duplicate_name': by(
    opsClientCode.calls.insert,
    async () => {
      await w.operator.opsClientCode.insert({ code: 'AAAA2', name: 'Held name' })
      return { code: 'AAAA3', name: 'held NAME' }
    },
    () => w.operator,
  ),
  'ops/client_code/update duplicate_code': by(
    opsClientCode.calls.update,
    async () => {
      await w.operator.opsClientCode.insert({ code: 'AAAA4', name: 'Fourth' })
      const { kid } = await w.operator.opsClientCode.insert({ code: 'AAAA5', name: 'Fifth' })
      return { kid, code: 'AAAA4', name: 'Fifth' }
    },
    () => w.operator,
  ),
  'ops/client_code/update duplicate_name': by(
    opsClientCode.calls.update,
    async () => {
      await w.operator.opsClientCode.insert({ code: 'AAAA6', name: 'Sixth' })
      const { kid } = await w.operator.opsClientCode.insert({ code: 'AAAA7', name: 'Seventh' })
      return { kid, code: 'AAAA7', name: 'Sixth' }
    },
    () => w.operator,
  ),
}

const declared = everyCall.flatMap((call) => call.errors.map((name) => `${call.path} ${name}`))

test('every refusal that a call declares has a way to come about, and no other has', () => {
  expect(Object.keys(provocations).toSorted()).toEqual(declared.toSorted())
})

describe('declared refusals', () => {
  // An account without a place left, for the limits that are the account's own.
  beforeAll(async () => void (await fullAccount()))

  test.each(declared)('%s', async (key) => {
    const name = key.split(' ')[1] as ErrorName
    const reply = await provocations[key]!()
    expect(reply).toMatchObject({ result: errors[name].result, status: errors[name].status })
    expect(reply.message).not.toMatch(/\{\w+\}/)
  })
})
