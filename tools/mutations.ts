import { join } from 'node:path'
import type { Plugin } from 'vite'

export type Mutation = {
  /** What somebody did by mistake. */
  mistake: string
  file: string
  /** Stands in the file once. */
  replace: string
  by: string
  /** The tests that are run, and a part of the name of the one that has to fail. */
  test: string
  finds: string
}
const calls = 'packages/contract/src/calls'
const modules = 'apps/server/src/modules'

/** Mistakes that break a promise each, and the cheapest test that has to find it. `npm run test:long` makes them one by one. */
export const mutations: Mutation[] = [
  {
    mistake: 'what a restore has set aside stays away when it fails',
    file: 'apps/server/src/operate/backup/restore.ts',
    replace: 'await moved?.moveBack(error as Error)',
    by: '',
    test: 'apps/server/src/operate/backup/backup.test.ts',
    finds: 'leave it as it was when they fail',
  },
  {
    mistake: 'a planned push is changed without an approval of the change',
    file: `${modules}/push/push-task/insert/creation.ts`,
    replace: 'needs_approval || decided_at !== null ?',
    by: 'needs_approval ?',
    test: `${modules}/push/push-task/insert/planned.test.ts`,
    finds: 'is approved again after a change',
  },
  {
    mistake: 'a call lost its permission',
    file: `${calls}/terminal_scrap.ts`,
    replace: "needs: 'deviceList:cancel'",
    by: "needs: 'signed_in'",
    test: 'packages/contract/src/calls.test.ts',
    finds: 'what needs no permission, is listed by hand',
  },
  {
    mistake: 'permissions are not asked for',
    file: 'apps/server/src/http/authorise.ts',
    replace: 'if (!opens(call, session.permissions)) throw',
    by: 'if (!opens(call, session.permissions) && !session.permissions) throw',
    test: `${modules}/fleet/custom-field/custom-field.test.ts`,
    finds: 'is managed with its permission, of its own account',
  },
  {
    mistake: 'a table of tenants was left out of those that have the column',
    file: 'apps/server/src/db/schema/tables.ts',
    replace: "'custom_field',",
    by: '',
    test: `${modules}/fleet/custom-field/custom-field.test.ts`,
    finds: 'is managed with its permission, of its own account',
  },
  {
    mistake: 'a statement of raw SQL forgot the column of the tenant',
    file: `${modules}/people/brakes/brake.ts`,
    replace: 'WHERE k.account_kid = ${account_kid} AND k.type = ${type} AND k.phase IN',
    by: 'WHERE ${account_kid}::text IS NOT NULL AND k.type = ${type} AND k.phase IN',
    test: `${modules}/people/brakes/races.test.ts`,
    finds: 'is counted for that account alone',
  },
  {
    mistake: 'a text was not translated',
    file: 'apps/console/src/features/webhook/texts/vi.ts',
    replace: "add: 'Thêm webhook',",
    by: '',
    test: 'apps/console/src/i18n/catalogues.test.ts',
    finds: 'webhook has the same keys',
  },
  {
    mistake: 'a refusal has another name than its call declares',
    file: `${modules}/fleet/custom-field/service.ts`,
    replace: "refuse('custom_field_limit', { max })",
    by: "refuse('custom_field_kind_fixed')",
    test: `${modules}/fleet/custom-field/custom-field.test.ts`,
    finds: 'there are thirty at most',
  },
  {
    mistake: 'words are too pale for their ground',
    file: 'apps/console/src/core/theme.ts',
    replace: "'ink-dim': '#625d69'",
    by: "'ink-dim': '#827d89'",
    test: 'apps/console/src/core/theme.test.ts',
    finds: 'every colour of words can be read on every ground, light',
  },
  {
    mistake: 'an act does not ask the brakes',
    file: `${modules}/devices/terminal/calls.ts`,
    replace: "await brake(ctx, { act: 'renew_secret', devices: 1 })",
    by: 'ctx.braking.is_asked = true',
    test: `${modules}/people/brakes/password.test.ts`,
    finds: 'one device at a time',
  },
  {
    mistake: 'a write is not logged',
    file: `${calls}/custom_field.ts`,
    replace: "title: text('Create a device field'",
    by: "is_unlogged: true, title: text('Create a device field'",
    test: 'packages/contract/src/calls.test.ts',
    finds: 'leave no row in the operation log',
  },
  {
    mistake: 'a row is read without its lock',
    file: 'apps/server/src/db/lock-account.ts',
    replace: '.forNoKeyUpdate()',
    by: '',
    test: `${modules}/people/user-account/races.test.ts`,
    finds: 'on postgres get exactly the places that are left',
  },
  {
    mistake: 'a cursor points to the row before',
    file: 'apps/server/src/db/paging.ts',
    replace: '? shown.at(-1) :',
    by: '? shown.at(-2) :',
    test: `${modules}/watch/operation-log/operation-log.test.ts`,
    finds: 'is paged newest first without gaps',
  },
  {
    mistake: 'a page has no heading',
    file: 'apps/console/src/ui/PageHead.tsx',
    replace: '<h1 dir="auto">{title}</h1>',
    by: '<div dir="auto">{title}</div>',
    test: 'apps/console/src/ui/PageHead.test.tsx',
    finds: 'heading',
  },
]

/** Makes the mistake that MDM_TEST_MUTATION names, by its place in the list, while modules are read; no file is changed. */
export function mutation(): Plugin[] {
  const named = mutations[Number(process.env['MDM_TEST_MUTATION'] ?? Number.NaN)]
  if (!named) return []
  const path = join(import.meta.dirname, '..', named.file)
  const transform = (code: string, id: string) => {
    if (id.split('?')[0] !== path) return
    if (code.split(named.replace).length !== 2) throw new Error(`${named.file} has not once: ${named.replace}`)
    return code.replace(named.replace, () => named.by)
  }
  return [{ name: 'mutation', enforce: 'pre', transform }]
}
