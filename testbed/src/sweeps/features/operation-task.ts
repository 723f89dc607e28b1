import { contract } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import { addBatch, addPackage } from '@mdm/server/testing/operation-tasks.ts'
import { addBase, addCustom, addModel } from '@mdm/server/testing/os-customs.ts'
import { addUid } from '@mdm/server/testing/os-versions.ts'
import { osCustomLimits } from '@mdm/contract'
import type { Feature } from '../feature.ts'
import { refusalsOf } from '../refusals.ts'
import type { Refusals } from '../refusals.ts'
import type { Stage } from '../stage.ts'

const calls = contract.opsOperationTask.calls

/** Jobs of everybody, for the provider alone: any kid does. */
export const operationTask: Feature = {
  inputs: (t) => {
    const of = { kid: t.log_kid }
    return {
      'ops/operation_task/paging': {},
      'ops/operation_task/get': of,
      'ops/operation_task/cancel': of,
      'ops/operation_task/retry': of,
      'ops/operation_task/result': of,
      'ops/operation_task/download': of,
    }
  },
  refusals,
}

function refusals(s: Stage): Refusals {
  const { deps, operator, customer_kid } = s
  const uid = () => addUid(deps, `TASK${newKid().slice(-8)}`)
  const packageOf = async (created_by_kid: string, state: 'ready' | 'failed' | 'making') => ({
    kid: (await addPackage(deps, { uid_kid: await uid(), state, created_by_kid })).kid,
  })
  /** Somebody else of the provider, who can still sign in. */
  const publisher = () =>
    s.once('a publisher', async () => {
      const row = await operator.opsInsideUser.paging({})
      return row.items.find(({ username }) => username !== 'operator')!.kid
    })
  const build = async (more: { abandoned?: true; twice?: true } = {}) => {
    const base_uid_kid = await uid()
    const code = `T${newKid().slice(-8)}`
    const base_kid = await addBase(deps, await addModel(deps, base_uid_kid, code), `${code}_9.00.1`)
    const uid_kid = await addUid(deps, newKid(), { type: 'custom', base_uid_kid })
    const made = await addCustom(deps, customer_kid, { base_kid, uid_kid, name: s.unique('Task') }, 'failed')
    const { db } = deps
    if (more.abandoned)
      await db.updateTable('os_custom').set({ state: 'abandoned' }).where('kid', '=', made.kid).execute()
    if (more.twice) {
      const row = await db
        .selectFrom('os_build')
        .selectAll()
        .where('kid', '=', made.build_kid)
        .executeTakeFirstOrThrow()
      const second = { ...row, kid: newKid(), number: 2, state: 'waiting' as const, inputs: JSON.stringify(row.inputs) }
      await db
        .insertInto('os_build')
        .values({ ...second, fault: null, next_at: new Date(deps.clock.now().getTime() + 3_600_000) })
        .execute()
    }
    return { kid: made.build_kid }
  }
  const ended = async () => ({ kid: await addBatch(deps, { account_kid: customer_kid, state: 'done' }) })
  return {
    ...refusalsOf(calls.cancel, operator, {
      operation_task_unsupported: async () => {
        const { kid } = await deps.db.selectFrom('oscs_file').select('kid').limit(1).executeTakeFirstOrThrow()
        return { kid }
      },
      operation_task_state_wrong: ended,
      os_not_own: async () => packageOf(await publisher(), 'making'),
    }),
    ...refusalsOf(calls.retry, operator, {
      operation_task_unsupported: ended,
      operation_task_state_wrong: () => packageOf(newKid(), 'ready'),
      os_not_own: async () => packageOf(await publisher(), 'failed'),
      os_custom_abandoned: () => build({ abandoned: true }),
      os_custom_building: () => build({ twice: true }),
      os_builds_per_hour: async () => {
        const at = deps.clock.now()
        const starts = Array.from({ length: osCustomLimits.builds_per_hour }, () => ({
          kid: newKid(),
          account_kid: customer_kid,
          at,
        }))
        await deps.db.insertInto('os_build_start').values(starts).execute()
        return build()
      },
    }),
  }
}
