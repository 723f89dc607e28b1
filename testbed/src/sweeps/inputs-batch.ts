import type { Things } from './inputs.ts'

/** An input that parses for every call about sheets of devices. */
export const batchInputs = (t: Things): Record<string, Record<string, unknown>> => ({
  'terminal/batch_registered': {
    terminalDtos: [{ sn: 'NOBODY', work_order: 'WO', verification_code: 'AAAAAA' }],
    terminalGroupKid: t.group_kid,
    schedule_version: `sweep-${Math.random()}`,
  },
  'terminal/get_batch_registered_schedule': { schedule_version: 'sweep' },
  'terminal/list_batch_registered': {},
  'terminal/cancel_batch_registered': { schedule_version: 'sweep' },
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
  'ops/terminal/batch_result': { schedule_version: 'sweep' },
  'ops/terminal/preview_batch': { upload_kid: t.upload_kid, account_kid_param: t.account_kid },
  'ops/terminal/announced_sheet': { account_kid_param: t.account_kid, sns: [t.announced.sn] },
  'ops/terminal/list_batch_registered': { account_kid_param: t.account_kid },
  'ops/terminal/batch_template': {},
  'ops/terminal/list_group': { account_kid_param: t.account_kid },
})
