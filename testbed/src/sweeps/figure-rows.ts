import { configTypes, ltscopes } from '@mdm/contract'
import { newKid } from '@mdm/server/lib/ids.ts'
import { addApp } from '@mdm/server/testing/apps.ts'
import type { TestDeps } from '@mdm/server/testing/deps.ts'
import { sql } from 'kysely'

export const even = (n: number): boolean => n % 2 === 0
export const third = (n: number): boolean => n % 3 === 0
/** What half of the devices have installed is behind what the account offers. */
const app_package = 'com.example.till'

/** Rows about each device, and what these are of. The person who makes alert rules is the one who is limited. */
export async function makeFigureRows(
  deps: TestDeps,
  { account_kid, maker_kid, kids }: { account_kid: string; maker_kid: string; kids: readonly string[] },
) {
  const { db, clock } = deps
  const now = clock.now()
  const by = { created_by_kid: newKid(), created_by: 'Root', created_at: now }
  const edited = { updated_by_kid: by.created_by_kid, updated_by: 'Root', updated_at: now }
  const row = <T extends object>(more: T) => ({ kid: newKid(), account_kid, ...more })
  const each = <T>(of: (terminal_kid: string, n: number) => T): (T & { account_kid: string })[] =>
    kids.map((kid, n) => ({ account_kid, ...of(kid, n) }))

  const app_kid = await addApp(deps, { account_kid, package: app_package, version_name: '2', version_code: 2 })
  await db
    .insertInto('terminal_app')
    .values(
      each((terminal_kid, n) => ({
        terminal_kid,
        package: app_package,
        version: even(n) ? '1' : '2',
        version_code: even(n) ? 1 : 2,
      })),
    )
    .execute()

  const place = { longitude: 106.7, latitude: 10.8, accuracy: 5, provider: 'gps', at: now, received_at: now }
  await db
    .insertInto('terminal_position')
    .values(each((terminal_kid) => ({ terminal_kid, ...place })).filter((_, n) => even(n)))
    .execute()
  const fence = row({
    ...{ name: 'Yard', is_on: true, longitude: 106.7, latitude: 10.8, radius: 100, duration: 0 },
    ...{ accuracy: 'high' as const, is_locking: false, created_at: now },
    ...edited,
  })
  await db.insertInto('electronic_fence').values(fence).execute()
  await db
    .insertInto('terminal_fence')
    .values(
      each((terminal_kid, n) => ({
        ...{ terminal_kid, fence_kid: fence.kid, fence_version: 1 },
        state: even(n) ? ('inside' as const) : ('outside' as const),
      })),
    )
    .execute()

  // Of the person themselves: others' are not shown to who is limited.
  const maker = { created_by_kid: maker_kid, created_by: 'Maker' }
  const watch = { kind: 'battery' as const, severity: 'warning' as const }
  const rule = row({
    ...{ name: 'Battery', params: '{"percent":20}', is_on: true, for_seconds: 0, calm_seconds: 0, emails: [] },
    ...{ language: 'en' as const, is_noncompliant: false, created_at: now, updated_at: now },
    ...watch,
    ...maker,
  })
  await db.insertInto('alert_rule').values(rule).execute()
  const alert = row({
    ...{ ...watch, name: 'Battery', rule_kid: rule.kid, created_by_kid: maker_kid, opened_at: now },
    ...{ count: kids.filter((_, n) => !third(n)).length, peak: kids.length },
  })
  await db.insertInto('alert').values(alert).execute()
  await db
    .insertInto('alert_terminal')
    .values(
      each((terminal_kid, n) => ({
        ...{ rule_kid: rule.kid, terminal_kid, since: now },
        fired_at: even(n) ? now : null,
      })),
    )
    .execute()
  await db
    .insertInto('alert_device')
    .values(
      each((terminal_kid, n) => ({
        ...{ alert_kid: alert.kid, terminal_kid, sn: '', name: '', fired_at: now },
        cleared_at: third(n) ? now : null,
      })),
    )
    .execute()

  const list = row({ type: 'restart' as const, created_by_kid: by.created_by_kid, created_at: now })
  const states = ['completed', 'failed', 'wait_receipt'] as const
  const stateOf = (n: number) => states[n % 3]!
  const sumOf = (state: string) => kids.filter((_, n) => stateOf(n) === state).length
  const counts = { total: kids.length, completed: sumOf('completed'), failed: sumOf('failed') }
  const task = row({
    ...{
      type: 'restart' as const,
      payload: '{}',
      description: '',
      summary: 'Till',
      wait_receipt: sumOf('wait_receipt'),
    },
    ...{ ...counts, target_count: counts.total, left_out: 5, list_kid: list.kid, phase: 'running' as const, step: 1 },
    ...{ rollout: JSON.stringify({ steps: [{ percent: 100 }] }) },
    ...by,
  })
  await db.insertInto('push_task').values(task).execute()
  await db
    .insertInto('push_list')
    .values({ ...list, push_task_kid: task.kid })
    .execute()
  await db
    .insertInto('push_list_terminal')
    .values(
      each((terminal_kid, n) => ({
        ...{ push_list_kid: list.kid, order_key: n, terminal_kid, sn: '' },
        reason: even(n) ? ('offline' as never) : null,
      })),
    )
    .execute()
  await db
    .insertInto('push_task_step')
    .values({ push_task_kid: task.kid, account_kid, step: 1, opened_at: now, ...counts })
    .execute()
  await db
    .insertInto('push_task_terminal')
    .values(
      each((terminal_kid, n) => ({
        ...{
          push_task_kid: task.kid,
          terminal_kid,
          sn: '',
          type: 'restart' as const,
          state: stateOf(n),
          state_at: now,
        },
        ...{ step: 1, created_at: now, sent_at: n === 9 ? now : null },
      })),
    )
    .execute()
  const version = await db.selectFrom('app_version').select('kid').where('app_kid', '=', app_kid).executeTakeFirst()
  await db
    .insertInto('push_task_app')
    .values({ push_task_kid: task.kid, app_kid, account_kid, version_kid: version!.kid })
    .execute()

  // Set for the whole account: every third has not connected since, the next of each three did not obey it.
  const level = { type: configTypes.event, ltscope: ltscopes.account, version: 1, created_at: now }
  const configuration = row({ ...level, section_count: 1, ...edited })
  await db.insertInto('configuration').values(configuration).execute()
  const value = JSON.stringify({})
  await db
    .insertInto('terminal_config')
    .values(row({ section: 'collection' as const, ltscope: ltscopes.account, value, ...edited }))
    .execute()
  const change = row({
    ...{ ...level, configuration_kid: configuration.kid, act: 'save' as const, sections: ['collection'] },
    ...{ before: '{}', after: '{}', devices: kids.length, ...by },
  })
  await db.insertInto('configuration_change').values(change).execute()
  // Goes out in the steps of the push, of which one device has been given its part.
  const in_steps = {
    ...{ ...change, kid: newKid(), version: 2, created_at: new Date(now.getTime() - 1_000) },
    ...{ devices: kids.filter((_, n) => !even(n)).length, is_staged: true },
    push_task_kid: task.kid,
  }
  await db.insertInto('configuration_change').values(in_steps).execute()
  await db
    .insertInto('terminal_config_delivery')
    .values(each((terminal_kid) => ({ terminal_kid, version: 1, is_dirty: false, change_kid: change.kid })))
    .execute()
  for (const [n, kid] of kids.entries())
    await db
      .updateTable('terminal_state')
      .set({
        config_version: third(n) ? null : 1,
        run: JSON.stringify({ storage_used: even(n) ? 95 : 5, storage_total: 100 }),
      })
      .where('terminal_kid', '=', kid)
      .execute()
  await db
    .insertInto('terminal_config_result')
    .values(
      each((terminal_kid, n) => ({
        ...{ terminal_kid, section: 'collection', version: 1, at: now },
        outcome: n % 3 === 1 ? ('failed' as const) : ('applied' as const),
      })),
    )
    .execute()
  const dynamic = row({
    ...{ name: 'Online', created_at: now },
    where: JSON.stringify({ all: [{ field: 'is_online', op: 'is', value: true }] }),
  })
  await db.insertInto('terminal_dynamic_group').values(dynamic).execute()
  await sql`INSERT INTO online_sample (account_kid, terminal_group_kid, at, online)
    SELECT t.account_kid, t.terminal_group_kid, ${new Date(now.getTime() - 3_600_000)}, count(*) FILTER (WHERE s.is_online)
    FROM terminal t JOIN terminal_state s ON s.terminal_kid = t.kid GROUP BY 1, 2`.execute(db)
  return {
    app_kid,
    fence_kid: fence.kid,
    alert_kid: alert.kid,
    task_kid: task.kid,
    change_kid: change.kid,
    in_steps_kid: in_steps.kid,
  }
}
