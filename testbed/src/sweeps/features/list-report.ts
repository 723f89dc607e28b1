import { contract, reportLimits } from '@mdm/contract'
import type { In } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    list_report_kid: string
  }
}

type Draft = In<(typeof contract)['listReport']['calls']['insert']>
const draft: Draft = {
  ...{
    name: 'Sweep',
    path: 'account/list_session',
    input: {},
    format: 'csv',
    columns: [{ key: 'address', title: 'IP' }],
  },
  ...{ every: 'day', hour: 7, weekday: 1, day: 1, zone_id: 'UTC', page: null, search: '' },
}
const { insert, send_now } = contract.listReport.calls

/** Lists that are mailed to a person. */
export const listReport: Feature = {
  async make({ w, customer, device }) {
    const { account_kid, root } = w.seed.customers[customer]!
    const kid = device.kid.replace(/^......../, 'a1e27003')
    return { list_report_kid: await addReport(w.server.deps.db, account_kid, root.user_kid, kid) }
  },
  inputs: (t) => ({
    'list_report/list': {},
    'list_report/insert': draft,
    'list_report/update': { kid: t.list_report_kid, state: 'paused' },
    'list_report/send_now': { kid: t.list_report_kid },
    'list_report/delete': { kid: t.list_report_kid },
  }),
  refusals,
  tables: ['list_report'],
  open_outside: Object.values(contract.listReport.calls),
}

/** Due in a year: nothing is mailed. */
async function addReport(
  db: Stage['deps']['db'],
  account_kid: string,
  user_kid: string,
  kid: string,
  state: 'on' | 'paused' = 'on',
): Promise<string> {
  const { name, every, hour, weekday, day, zone_id, ...request } = draft
  const now = new Date()
  await db
    .insertInto('list_report')
    .values({
      ...{ kid, account_kid, user_kid, name, every, hour, weekday, day, zone_id, state, language: 'en' },
      request: JSON.stringify(request),
      next_at: state === 'on' ? new Date(now.getTime() + 365 * 86_400_000) : null,
      created_at: now,
    })
    .execute()
  return kid
}

function refusals(s: Stage): Refusals {
  const { deps, root, w } = s
  /** Done while the server sends mail, and whoever asks has an address. */
  const withMail = async <T>(work: () => Promise<T>, email: string | null = 'sweep@example.com'): Promise<T> => {
    const { smtp } = deps.config
    deps.config.smtp = { url: 'smtp://mail.example', from: 'mdm@example.com' }
    const { account_kid, root: person } = w.seed.customers[0]!
    const of_person = () => deps.db.updateTable('user_account').where('kid', '=', person.user_kid)
    await of_person().set({ email }).execute()
    await deps.db.deleteFrom('list_report').where('account_kid', '=', account_kid).execute()
    try {
      return await work()
    } finally {
      deps.config.smtp = smtp
    }
  }
  const own = (state: 'on' | 'paused') => {
    const { account_kid, root: person } = w.seed.customers[0]!
    return addReport(deps.db, account_kid, person.user_kid, newKid(), state)
  }
  return {
    ...refusalsOf(insert, root, {
      export_not_possible: () => ({ ...draft, path: 'terminal/get' }),
      report_mail_off: () => draft,
    }),
    'list_report/insert report_no_address': () => withMail(() => root.try_(insert, draft), null),
    'list_report/insert report_limit': () =>
      withMail(async () => {
        for (let n = 0; n < reportLimits.reports; n++) await own('on')
        return root.try_(insert, draft)
      }),
    ...refusalsOf(send_now, root, {
      report_mail_off: async () => ({ kid: await own('on') }),
      report_paused: async () => ({ kid: await own('paused') }),
    }),
    'list_report/send_now report_no_address': () =>
      withMail(async () => root.try_(send_now, { kid: await own('on') }), null),
  }
}
