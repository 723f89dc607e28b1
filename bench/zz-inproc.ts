import { openDatabase } from '../apps/server/src/db/client.ts'
import { migrations } from '../apps/server/src/db/migrations/index.ts'
import { tenantTables } from '../apps/server/src/db/tables.ts'
import { scoped } from '../apps/server/src/db/scope.ts'
import { paging } from '../apps/server/src/modules/terminal/list.ts'
import { rowsOf } from '../apps/server/src/modules/terminal/rows.ts'
import { contract } from '@mdm/contract'
const [url, account_kid] = process.argv.slice(2) as [string, string]
const log = { info() {}, warn() {}, error() {}, debug() {} } as any
const db = await openDatabase({ url, migrations, log })
const bench = async (name: string, f: () => unknown, k = 300) => {
  for (let i = 0; i < 100; i++) await f()
  const t: number[] = []
  for (let i = 0; i < k; i++) { const a = performance.now(); await f(); t.push(performance.now() - a) }
  t.sort((a, b) => a - b)
  console.log(name.padEnd(30), 'min', t[0]!.toFixed(2), 'p50', t[k >> 1]!.toFixed(2), 'p95', t[Math.floor(k * .95)]!.toFixed(2))
}
const input = contract.terminal.calls.paging.input.parse({})
const viewer = () => ({ scope: scoped(db.kysely, account_kid, tenantTables), account_kid, reach: undefined })
const out = await paging(viewer(), input)
const kids = out.items.map((i) => i.kid)
await bench('viewer', () => viewer())
await bench('paging', () => paging(viewer(), input))
await bench('rowsOf', () => rowsOf(viewer().scope, kids))
await bench('rowsOf compile', () => viewer().scope.selectFrom('terminal').innerJoin('terminal_state','terminal_state.terminal_kid','terminal.kid').leftJoin('terminal_group','terminal_group.kid','terminal.terminal_group_kid').select(['terminal.kid','sn','model']).where('terminal.kid','=',kids[0]!).compile())
await bench('zod out', () => contract.terminal.calls.paging.output.safeParse(out))
await bench('zod in', () => contract.terminal.calls.paging.input.safeParse({}))
await bench('pool select 1', () => db.pool.query('select 1'))
await bench('facets', async () => (await import('../apps/server/src/modules/terminal/facets.ts')).facets(viewer()), 20)
await db.close()
