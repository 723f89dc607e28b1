import type { CompiledQuery, Kysely, KyselyPlugin, QueryExecutor, RootOperationNode } from 'kysely'
import { ScopeTransformer } from './transformer.ts'
import { ScopeError } from './rules.ts'
import type { ScopeRules } from './rules.ts'
import { tenantTables } from '../schema/tables.ts'
import type { Tables } from '../schema/tables.ts'

export { ScopeError } from './rules.ts'

export type ScopeLimits = {
  /** Users limited to device groups: of the table `terminal` only rows in these groups exist for them. */
  group_kids?: readonly string[]
}

/** Root statements that a scope knows how to limit; everything else (DDL, MERGE) is refused. */
const known_roots = new Set(['SelectQueryNode', 'InsertQueryNode', 'UpdateQueryNode', 'DeleteQueryNode', 'RawNode'])

/**
 * The database as one tenant sees it. Every read, change and removal of a tenant table is limited to `account_kid`, at
 * whatever depth of the statement the table stands; inserted rows get it. Transactions, `withoutPlugins()` and the like
 * stay in the scope. Throws ScopeError, before anything reaches the database, for what cannot be limited: raw SQL that
 * names a tenant table, a foreign account_kid, a change of account_kid, a query compiled elsewhere.
 *
 * It guards against forgetting, not against malice: code in this process could always open a connection of its own.
 */
export function scoped(
  kysely: Kysely<Tables>,
  account_kid: string,
  tables: ReadonlySet<string>,
  limits: ScopeLimits = {},
): Kysely<Tables> {
  if (!account_kid) throw new ScopeError('a scope needs an account_kid')
  const gate = new Gate({ account_kid, tables, group_kids: limits.group_kids })
  const within = kysely.withPlugin(gate)
  gate.guard(within.getExecutor())
  return within
}

/** Scopes of all tenants of this database. */
export const scopes =
  (kysely: Kysely<Tables>) =>
  (account_kid: string, group_kids?: readonly string[]): Kysely<Tables> =>
    scoped(kysely, account_kid, tenantTables, group_kids ? { group_kids } : {})

/** The plugin, and the guard that keeps an executor from running what has not passed through it. */
class Gate implements KyselyPlugin {
  readonly #rules: ScopeRules
  readonly #passed = new WeakSet<object>()
  readonly #compiled = new WeakSet<object>()

  constructor(rules: ScopeRules) {
    this.#rules = rules
  }

  transformQuery: KyselyPlugin['transformQuery'] = ({ node, queryId }) => {
    if (!known_roots.has(node.kind)) throw new ScopeError(`${node.kind} is not possible within a tenant scope`)
    if (this.#passed.has(node)) return node
    // A transformer keeps a stack of the nodes it is in, so it serves one statement.
    const limited = new ScopeTransformer(this.#rules, this.#passed).transformNode(node, queryId)
    this.#passed.add(limited)
    return limited
  }
  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => result

  /** Kysely makes new executors for transactions, plugins and so on: each is guarded as it is made. */
  guard(executor: QueryExecutor): QueryExecutor {
    const compileQuery = executor.compileQuery.bind(executor)
    const executeQuery = executor.executeQuery.bind(executor)
    const stream = executor.stream.bind(executor)
    const withConnectionProvider = executor.withConnectionProvider.bind(executor)
    const withoutPlugins = executor.withoutPlugins.bind(executor)
    /** The scope comes last, so that no other plugin can put something past it. */
    const rebuilt = (others: readonly KyselyPlugin[]) =>
      this.guard(withoutPlugins().withPlugins([...others.filter((plugin) => plugin !== this), this]))
    const assertOurs = (query: CompiledQuery<unknown>) => {
      if (!this.#compiled.has(query)) throw new ScopeError('a query compiled outside of this tenant scope')
    }
    return Object.assign(executor, {
      compileQuery: <R>(node: RootOperationNode, queryId: CompiledQuery['queryId']) => {
        const query = compileQuery<R>(node, queryId)
        if (this.#passed.has(node)) this.#compiled.add(query)
        return query
      },
      executeQuery: async <R>(query: CompiledQuery<R>) => {
        assertOurs(query)
        return executeQuery<R>(query)
      },
      stream: <R>(query: CompiledQuery<R>, chunkSize: number) => {
        assertOurs(query)
        return stream<R>(query, chunkSize)
      },
      withConnectionProvider: (provider: Parameters<QueryExecutor['withConnectionProvider']>[0]) =>
        this.guard(withConnectionProvider(provider)),
      withPlugins: (plugins: readonly KyselyPlugin[]) => rebuilt([...executor.plugins, ...plugins]),
      withPlugin: (plugin: KyselyPlugin) => rebuilt([...executor.plugins, plugin]),
      withPluginAtFront: (plugin: KyselyPlugin) => rebuilt([plugin, ...executor.plugins]),
      // What other scopes put there stays too.
      withoutPlugins: () => rebuilt(executor.plugins.filter((plugin) => plugin instanceof Gate)),
    })
  }
}
