import { contract, requirementLimits } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import type { Feature } from '../feature.ts'
import { refusalsOf, unknownKid } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import { apk, copiedApp, manyApps, uploadApk } from '../shared/apps.ts'
import type { Stage } from '../stage.ts'

declare module '../feature.ts' {
  interface Things {
    app_requirement_kid: string
    app_required_kid: string
  }
}

const { insert, run, update } = contract.appRequirement.calls

/** Apps that devices have to have. */
export const appRequirement: Feature = {
  async make({ call, device }) {
    const listed = async () =>
      call.appCenter.insert({
        upload_kid: await uploadApk(call, apk(1)),
        name: `Required ${device.sn}`,
        is_listed: true,
      })
    // Switched off, so that nothing is pushed meanwhile.
    const { kid } = await call.appRequirement.insert({ app_kid: (await listed()).kid, is_on: false })
    return { app_requirement_kid: kid, app_required_kid: (await listed()).kid }
  },
  inputs: (t) => ({
    'app_requirement/list': {},
    'app_requirement/insert': { app_kid: t.app_required_kid, terminal_group_kid: t.group_kid, is_on: false },
    'app_requirement/update': { kid: t.app_requirement_kid, is_on: true },
    'app_requirement/run': { kid: t.app_requirement_kid },
    'app_requirement/delete': { kid: t.app_requirement_kid },
  }),
  refusals,
  tables: ['app_requirement'],
  not_found: ['group_unknown', 'app_required_off'],
}

function refusals(s: Stage): Refusals {
  const { root, deps } = s
  const app = async (more: { is_listed?: boolean } = { is_listed: true }) => (await copiedApp(s, 'appCenter', more)).kid
  const off = async () => {
    // Where the account had as many as it may have.
    await deps.db.deleteFrom('app_requirement').where('account_kid', '=', s.customer_kid).execute()
    return root.appRequirement.insert({ app_kid: await app(), is_on: false })
  }
  /** A rule of one version, whose app is changed so that another version of it cannot be pushed. */
  const changed = async (change: (app_kid: string) => Promise<unknown>) => {
    const rule = await off()
    const { kid: version_kid } = await deps.db
      .selectFrom('app_version')
      .select('kid')
      .where('app_kid', '=', rule.app_kid)
      .executeTakeFirstOrThrow()
    await root.appRequirement.update({ kid: rule.kid, version_kid })
    await change(rule.app_kid)
    return { kid: rule.kid, version_kid: null }
  }
  const setApp = (set: { state?: 'delisted'; offered_version_kid?: null }) => (app_kid: string) =>
    deps.db.updateTable('app').set(set).where('kid', '=', app_kid).execute()
  return {
    ...refusalsOf(update, root, {
      app_not_listed: () => changed(setApp({ state: 'delisted' })),
      app_without_version: () => changed(setApp({ offered_version_kid: null })),
      app_push_too_many: () => changed((app_kid) => manyApps(s, app_kid)),
    }),
    ...refusalsOf(insert, root, {
      app_not_listed: async () => ({ app_kid: await app({}) }),
      app_without_version: async () => {
        const app_kid = await app()
        await deps.db.updateTable('app').set({ offered_version_kid: null }).where('kid', '=', app_kid).execute()
        return { app_kid }
      },
      app_push_too_many: async () => {
        const app_kid = await app()
        await manyApps(s, app_kid)
        return { app_kid }
      },
      group_unknown: async () => ({ app_kid: await app(), terminal_group_kid: unknownKid }),
      app_required_already: async () => ({ app_kid: (await off()).app_kid }),
      app_required_max: async () => {
        const { kid } = await off()
        const row = await deps.db
          .selectFrom('app_requirement')
          .selectAll()
          .where('kid', '=', kid)
          .executeTakeFirstOrThrow()
        const conditions = JSON.stringify(row.conditions)
        const app_kids = await manyApps(s, row.app_kid, requirementLimits.of_account)
        await deps.db
          .insertInto('app_requirement')
          .values(
            app_kids.map((app_kid) => ({ ...row, kid: newKid(), app_kid, conditions, counts: null, last_error: null })),
          )
          .execute()
        const app_kid = await app()
        return { app_kid }
      },
    }),
    ...refusalsOf(run, root, { app_required_off: async () => ({ kid: (await off()).kid }) }),
  }
}
