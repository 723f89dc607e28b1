import { readFile } from 'node:fs/promises'
import { contract, errors } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import { clientHash } from '@mdm/server/lib/passwords.ts'
import { createUser } from '@mdm/server/modules/people/account/index.ts'
import { sharedHash } from '@mdm/server/lib/shared-hash.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { realApk } from './apks.ts'
import type { Caller } from './caller.ts'
import { demoPassword, signedIn } from './seed.ts'
import { puzzleToken, signIn } from './sign-in.ts'
import { uploadFile } from './upload.ts'
import { world } from './world.ts'
import type { World } from './world.ts'

let w: World
beforeAll(async () => void (w = await world()))
afterAll(() => w[Symbol.asyncDispose]())

/** One more person of a customer, who may do everything. */
async function person(customer: number): Promise<Caller> {
  const { deps } = w.server
  const { account_kid } = w.seed.customers[customer]!
  const role = await deps.db
    .selectFrom('role')
    .select('kid')
    .where('account_kid', '=', account_kid)
    .where('code', '=', 'admin')
    .executeTakeFirstOrThrow()
  const username = newKid()
  const password_hash = await sharedHash(demoPassword, deps.password_cost)
  const draft = { account_kid, type: 3, username, name: username, password_hash } as const
  const { kid: user_kid } = await createUser(deps.db, { ...draft, role_kids: [role.kid] })
  return signedIn(w.url, deps, { user_kid })
}

/** Uploads a file, and answers how to have it read: each time a process of the server does it. */
type Upload = (who: Caller) => Promise<() => Promise<number>>
const uploads: Record<string, Upload> = {
  async sheet(who) {
    const sheet = Buffer.from('SN,Work order,Verification code\n' + 'A,B,C\n'.repeat(1_000))
    const upload_kid = await uploadFile(who, 'devices.csv', sheet)
    return async () => (await who.try_(contract.terminalBatch.calls.preview_batch, { upload_kid })).status
  },
  async package(who) {
    const upload_kid = await uploadFile(who, 'app.apk', await readFile(realApk))
    return async () => (await who.try_(contract.appCenter.calls.inspect_upload, { upload_kid })).status
  },
}
/** So many files of one person may wait. */
const waiting_of_person = 2

test.each(Object.entries(uploads))(
  'five people of one customer, each with sheets or packages, keep a %s of another waiting for one of theirs at most',
  async (_, upload) => {
    const other = await upload(w.customers[1]!)
    const other_account = w.seed.customers[1]!.account_kid
    const [greedy, ...modest] = await Promise.all(
      Array.from({ length: 5 }, async (_one, n) => Object.values(uploads)[n % 2]!(await person(0))),
    )
    const { memory } = w.server.deps
    const turns = memory.file_turns
    /** How many files of the first customer have begun to be read, and how many of them while the other customer's waited. */
    const begun = { all: 0, meanwhile: 0 }
    let is_other_waiting = false
    memory.file_turns = (requester, work) => {
      const is_other = requester.account_kid === other_account
      if (is_other) is_other_waiting = true
      return turns(requester, () => {
        if (is_other) is_other_waiting = false
        else {
          begun.all += 1
          if (is_other_waiting) begun.meanwhile += 1
        }
        return work()
      })
    }
    onTestFinished(() => void (memory.file_turns = turns))
    const within = modest.flatMap((one) => Array.from({ length: waiting_of_person }, one))
    const beyond = Array.from({ length: waiting_of_person + 5 }, () => greedy!())
    await expect.poll(() => begun.all).toBeGreaterThan(0)
    expect(await other()).toBe(200)
    expect(begun.meanwhile).toBeLessThanOrEqual(1)

    expect(await Promise.all(within)).toEqual(within.map(() => 200))
    const ends = await Promise.all(beyond)
    expect(new Set(ends)).toEqual(new Set([200, errors.too_many_requests.status]))
    expect(ends.filter((status) => status === 200).length).toBeGreaterThanOrEqual(waiting_of_person)
  },
)

test('gateways for agents of others are not there where they are not turned on', async () => {
  const paths = ['/default/controller/v1/a', '/api/devices/v1/authentication/auth_requests']
  const answers = await Promise.all(paths.map((path) => fetch(`${w.url}${path}`, { method: 'POST' })))
  expect(answers.map(({ status }) => status)).toEqual([404, 404])
  expect((await fetch(`${w.url}${paths[0]}`)).status).toBe(404)
})

test('fifty wrong sign-ins from one address keep nobody out who signs in from it', async () => {
  const [known, unknown] = [w.seed.customers[0]!.root, w.seed.customers[1]!.root]
  const first = await signIn(w, known.username)
  const browser = w.anonymous.as({ cookie: first.cookie! })
  const tokens = await Promise.all(Array.from({ length: 50 }, () => puzzleToken(w)))
  const wrong = await Promise.all(
    tokens.map((puzzle_token, n) =>
      w.anonymous.try_(contract.login.calls.login, {
        username: n < 5 ? known.username : `guessed.${n}`,
        password: clientHash('Wrong-2026!'),
        puzzle_token,
      }),
    ),
  )
  expect(wrong.map(({ result }) => result)).toEqual(Array.from({ length: 50 }, () => errors.login_failed.result))
  // The puzzle costs a stranger work from now on, and a browser from which somebody has signed in nothing.
  const bits = async (who: Caller) => (await who.login.puzzle({})).work_bits
  expect(await bits(browser)).toBe(0)
  expect(await bits(w.anonymous)).toBeGreaterThan(10)
  for (const [who, from] of [
    [known, browser],
    [unknown, w.anonymous],
  ] as const) {
    const { status, data } = await signIn(w, who.username, from)
    expect([status, (data as { user_kid?: string }).user_kid]).toEqual([200, who.user_kid])
  }
})
