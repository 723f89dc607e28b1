import { contract } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import type { Deps } from '@mdm/server/deps.ts'
import { newKid } from '@mdm/server/lib/ids.ts'
import { RequestError } from '@mdm/server/link/requests.ts'
import type { Caller, Reply } from '../../caller.ts'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

const calls = contract.terminalRemote.calls

declare module '../feature.ts' {
  interface Things {
    remote_session_kid: string
    remote_viewer_kid: string
    remote_recording_kid: string
    terminal_policy_kid: string
  }
}

type Of = { account_kid: string; terminal_kid: string }

/** A session with a device, as its rows stand while somebody looks. */
async function sessionOf(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  of: Of,
  given: { ended?: boolean; left?: boolean } = {},
) {
  const now = clock.now()
  const kids = { session: newKid(), viewer: newKid(), policy: newKid() }
  await db
    .insertInto('remote_session')
    .values({
      ...of,
      kid: kids.session,
      sn: 'SWEPT',
      kind: 'desktop',
      consent: 'ask',
      created_by: 'Sweep',
      created_by_kid: newKid(),
      created_at: now,
      ends_at: new Date(now.getTime() + 7_200_000),
      terminal_policy_kid: kids.policy,
      ...(given.ended && { ended_at: now, end_reason: 'ended' as const }),
    })
    .execute()
  await db
    .insertInto('remote_viewer')
    .values({
      ...of,
      kid: kids.viewer,
      session_kid: kids.session,
      user_kid: newKid(),
      username: 'Sweep',
      login_kid: newKid(),
      has_control: true,
      created_at: now,
      joined_at: now,
      left_at: given.left ? now : null,
      ticket_ends_at: now,
    })
    .execute()
  return kids
}

/** The device says that it opens every kind of tunnel, and the account lets shells be opened. */
async function opensTunnels({ db }: Pick<Deps, 'db'>, { account_kid, terminal_kid }: Of, terminal = true) {
  // Whom one refusal was tried on is asked again by the next.
  await db.deleteFrom('remote_refusal').where('terminal_kid', '=', terminal_kid).execute()
  await db
    .updateTable('terminal')
    .set({ tunnels: ['desktop', 'terminal', 'log', 'files'] })
    .where('kid', '=', terminal_kid)
    .execute()
  const settings = { consent: 'notify', clipboard: true, record_desktop: false, recording_days: 1 } as const
  await db
    .insertInto('remote_settings')
    .values({ account_kid, ...settings, terminal, recording_bytes: 1_000 })
    .onConflict((row) => row.column('account_kid').doUpdateSet({ terminal }))
    .execute()
}

/** Sessions with devices. */
export const terminalRemote: Feature = {
  async make({ w, customer, device }) {
    const { deps } = w.server
    const of = { account_kid: w.seed.customers[customer]!.account_kid, terminal_kid: device.kid }
    const made = await sessionOf(deps, of)
    const remote_recording_kid = newKid()
    await deps.db
      .insertInto('remote_recording')
      .values({
        kid: remote_recording_kid,
        account_kid: of.account_kid,
        session_kid: made.session,
        viewer_kid: made.viewer,
        format: 'fbs',
        bytes: 1,
        seconds: 1,
        started_at: deps.clock.now(),
      })
      .execute()
    return {
      remote_session_kid: made.session,
      remote_viewer_kid: made.viewer,
      remote_recording_kid,
      terminal_policy_kid: made.policy,
    }
  },
  inputs: (t) => ({
    'terminal_remote/open_desktop': { terminal_kid: t.terminal_kid },
    'terminal_remote/open_terminal': { terminal_kid: t.terminal_kid },
    'terminal_remote/open_log': { terminal_kid: t.terminal_kid },
    'terminal_remote/open_files': { terminal_kid: t.terminal_kid },
    'terminal_remote/join': { session_kid: t.remote_session_kid },
    'terminal_remote/control': { session_kid: t.remote_session_kid, viewer_kid: t.remote_viewer_kid },
    'terminal_remote/end': { kids: [t.remote_session_kid] },
    'terminal_remote/get': { session_kid: t.remote_session_kid },
    'terminal_remote/paging': { terminal_kid: t.terminal_kid },
    'terminal_remote/watch': { recording_kid: t.remote_recording_kid },
    'terminal_remote/delete_recording': { recording_kid: t.remote_recording_kid },
    'terminal_remote/settings': {},
    'terminal_remote/update_settings': {
      consent: 'ask',
      clipboard: true,
      terminal: false,
      record_desktop: false,
      recording_days: 30,
      recording_bytes: 1_000,
    },
    'terminal_remote/renewal': { terminal_policy_kid: t.terminal_policy_kid, step: 1 },
    clear_renewal: { terminal_policy_kid: t.terminal_policy_kid },
  }),
  refusals,
  tables: ['remote_settings', 'remote_session', 'remote_viewer', 'remote_recording', 'remote_refusal'],
  // Whether a session runs under an entitlement is not told of another's.
  not_found: ['remote_ended'],
}

const words = {
  remote_no_consent: 'no_consent',
  remote_permission_missing: 'permission_missing',
  remote_asleep: 'asleep',
  no_remote_connection: 'no_source',
  remote_busy: 'busy',
  device_not_supported: 'not_supported',
  device_refused: 'on_fire',
} as const

async function refusals(s: Stage): Promise<Refusals> {
  const { deps, root } = s
  const of = { account_kid: s.customer_kid, terminal_kid: s.device }
  /** A call to the device, while its answer is `request`'s. */
  const asking = (
    call: Call,
    input: () => Promise<object>,
    request: Deps['link']['request'],
    name: string,
    who: Caller = root,
  ): Refusals => ({
    [`${call.path} ${name}`]: async (): Promise<Reply<Call>> => {
      await opensTunnels(deps, of)
      const { link } = deps
      const given = await input()
      deps.link = { ...link, request }
      try {
        return await who.try_(call, given)
      } finally {
        deps.link = link
      }
    },
  })
  const opened = (call: Call, input: () => Promise<object>, absent: () => Promise<object>): Refusals => ({
    ...Object.assign(
      {},
      ...Object.entries(words).map(([name, code]) =>
        asking(call, input, () => Promise.reject(new RequestError(code, code, true)), name),
      ),
    ),
    ...asking(call, input, () => Promise.reject(new RequestError('timeout')), 'device_no_answer'),
    ...asking(call, input, async () => 'nonsense', 'device_answer_invalid'),
    ...refusalsOf<Call>(call, root, { device_not_online: absent }),
    [`${call.path} remote_no_entitlement`]: async () => {
      await opensTunnels(deps, of)
      deps.config.remote_needs_policy = true
      try {
        return await root.try_(call, await input())
      } finally {
        deps.config.remote_needs_policy = false
      }
    },
  })
  /** The person at the device has just refused. */
  const askedLately = (call: Call, input: () => Promise<object>): Refusals => ({
    [`${call.path} remote_asked_lately`]: async () => {
      await opensTunnels(deps, of)
      const refusal = { refusals: 1, refused_at: deps.clock.now() }
      await deps.db
        .insertInto('remote_refusal')
        .values({ ...of, ...refusal })
        .execute()
      await deps.db
        .updateTable('remote_settings')
        .set({ consent: 'ask' })
        .where('account_kid', '=', of.account_kid)
        .execute()
      try {
        return await root.try_(call, await input())
      } finally {
        await deps.db.deleteFrom('remote_refusal').where('terminal_kid', '=', of.terminal_kid).execute()
        await deps.db
          .updateTable('remote_settings')
          .set({ consent: 'notify' })
          .where('account_kid', '=', of.account_kid)
          .execute()
      }
    },
  })
  const device = async () => ({ terminal_kid: s.device })
  const session = async (terminal_kid = s.device) => ({
    session_kid: (await sessionOf(deps, { ...of, terminal_kid }, { left: true })).session,
  })
  const away = async () => ({ terminal_kid: await s.absentDevice() })
  const kinds = [calls.open_desktop, calls.open_terminal, calls.open_log, calls.open_files]
  const ended = async () => ({ session_kid: (await sessionOf(deps, of, { ended: true, left: true })).session })
  const switchedOff = async (input: () => Promise<object>) => {
    await opensTunnels(deps, of, false)
    return input()
  }
  return {
    ...Object.assign({}, ...kinds.map((call) => opened(call, device, away))),
    ...askedLately(calls.open_desktop, device),
    ...askedLately(calls.open_terminal, device),
    ...askedLately(calls.join, session),
    ...opened(calls.join, session, async () => session((await away()).terminal_kid)),
    ...refusalsOf(calls.open_terminal, root, { remote_terminal_off: () => switchedOff(device) }),
    ...refusalsOf(calls.join, root, {
      remote_ended: ended,
      remote_terminal_off: () =>
        switchedOff(async () => {
          const made = await session()
          await deps.db
            .updateTable('remote_session')
            .set({ kind: 'terminal' })
            .where('kid', '=', made.session_kid)
            .execute()
          return made
        }),
    }),
    ...refusalsOf(calls.control, root, { remote_ended: async () => ({ ...(await ended()), viewer_kid: null }) }),
    ...refusalsOf(calls.renewal, root, {
      remote_ended: () => ({ terminal_policy_kid: newKid(), step: 1 }),
      remote_no_entitlement: async () => ({
        terminal_policy_kid: (await sessionOf(deps, of, { left: true })).policy,
        step: 1,
      }),
    }),
    ...refusalsOf(calls.clear_renewal, root, { remote_ended: () => ({ terminal_policy_kid: newKid() }) }),
  }
}
