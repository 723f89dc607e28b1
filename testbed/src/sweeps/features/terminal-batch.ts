import { contract } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { by, refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { sheetRefusals } from '../shared/sheets.ts'
import type { Stage } from '../stage.ts'

const own = contract.terminalBatch.calls
const ops = contract.opsTerminalBatch.calls
const row = { sn: 'NOBODY', work_order: 'WO', verification_code: 'AAAAAA' }

/** Devices from sheets, for the account itself and by operators. */
export const terminalBatch: Feature = {
  inputs: (t) => ({
    'terminal/batch_registered': {
      terminalDtos: [{ sn: 'NOBODY', work_order: 'WO', verification_code: 'AAAAAA' }],
      terminalGroupKid: t.group_kid,
      schedule_version: `sweep-${Math.random()}`,
    },
    'terminal/get_batch_registered_schedule': { schedule_version: 'sweep' },
    'terminal/list_batch_registered': {},
    'terminal/cancel_batch_registered': { schedule_version: 'sweep' },
    'terminal/paging_batch_row': { schedule_version: 'sweep' },
    'terminal/batch_result': { schedule_version: 'sweep' },
    'terminal/batch_template': {},
    'terminal/preview_batch': { upload_kid: t.upload_kid },
    'terminal/account/batch/registered': {
      accountRegisteredTerminalDtos: [
        { account_kid: t.account_kid, sn: 'NOBODY', work_order: 'WO', verification_code: 'AAAAAA' },
      ],
      schedule_version: `sweep-${Math.random()}`,
    },
    get_account_batch_registered_schedule: { schedule_version: 'sweep' },
    'ops/terminal/cancel_batch_registered': { schedule_version: 'sweep' },
    'ops/terminal/paging_batch_row': { schedule_version: 'sweep' },
    'ops/terminal/batch_result': { schedule_version: 'sweep' },
    'ops/terminal/preview_batch': { upload_kid: t.upload_kid, account_kid_param: t.account_kid },
    'ops/terminal/announced_sheet': { account_kid_param: t.account_kid, sns: [t.announced.sn] },
    'ops/terminal/list_batch_registered': { account_kid_param: t.account_kid },
    'ops/terminal/batch_template': {},
    'ops/terminal/list_group': { account_kid_param: t.account_kid },
  }),
  refusals,
  tables: ['batch_job'],
}

function refusals(s: Stage): Refusals {
  const { root, operator, customer_kid, provider_kid } = s
  const busy = s.w.customers[1]!
  const busy_kid = s.w.seed.customers[1]!.account_kid
  const asked = (more: object = {}) => ({ terminalDtos: [row], schedule_version: version(s), ...more })
  const askedFor = (account_kid: string, more: object = {}) => ({
    accountRegisteredTerminalDtos: [{ ...row, account_kid }],
    schedule_version: version(s),
    ...more,
  })
  return {
    ...refusalsOf(own.batch_registered, root, {
      group_unknown: () => asked({ terminalGroupKid: unknownKid }),
      batch_running: async () => {
        await job(s, { account_kid: busy_kid, state: 'running' })
        return by(busy, asked())
      },
      batch_version_used: async () => asked(await job(s, { account_kid: customer_kid })),
    }),
    ...refusalsOf(own.cancel_batch_registered, root, {
      batch_not_running: () => job(s, { account_kid: customer_kid }),
    }),
    ...refusalsOf(own.preview_batch, root, sheetRefusals(s, root, {})),
    ...refusalsOf(ops.account_batch_registered, operator, {
      group_unknown: () => askedFor(customer_kid, { terminalGroupKid: unknownKid }),
      batch_running: async () => {
        await job(s, { account_kid: busy_kid, state: 'running' })
        return askedFor(busy_kid)
      },
      batch_version_used: async () =>
        askedFor(customer_kid, await job(s, { account_kid: customer_kid, owner_kid: provider_kid })),
    }),
    ...refusalsOf(ops.cancel_batch_registered, operator, {
      batch_not_running: () => job(s, { account_kid: customer_kid, owner_kid: provider_kid }),
    }),
    ...refusalsOf(ops.announced_sheet, operator, {
      device_unknown: () => ({ account_kid_param: customer_kid, sns: ['NOBODY'] }),
    }),
    ...refusalsOf(ops.preview_batch, operator, sheetRefusals(s, operator, { account_kid_param: customer_kid })),
  }
}

const version = (s: Stage) => s.unique('batch').replace(' ', '-')

async function job(
  s: Stage,
  {
    account_kid,
    owner_kid = account_kid,
    state = 'done',
  }: { account_kid: string; owner_kid?: string; state?: 'done' | 'running' },
): Promise<{ schedule_version: string }> {
  const now = s.deps.clock.now()
  const schedule_version = version(s)
  await s.deps.db
    .insertInto('batch_job')
    .values({
      kid: unknownKid.replace(/.{4}$/, String(1000 + Number(schedule_version.split('-')[1]))),
      account_kid,
      owner_kid,
      kind: 'terminal_registered',
      schedule_version,
      state,
      total: 1,
      created_by_kid: account_kid,
      created_by: 'Sweep',
      created_at: now,
      touched_at: now,
    })
    // One that runs is enough.
    .onConflict((oc) => oc.doNothing())
    .execute()
  return { schedule_version }
}
