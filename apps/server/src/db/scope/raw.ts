import type { IdentifierNode, OperationNode, RawNode, ReferenceNode, SchemableIdentifierNode, TableNode } from 'kysely'
import { ScopeError, tenantTable } from './rules.ts'
import type { ScopeRules } from './rules.ts'

const literals = /'(?:[^']|'')*'|\$(\w*)\$[\s\S]*?\$\1\$/g
/** Functions that run a statement or read a table given to them as text. */
const indirect = /\b(?:(?:query|table|cursor|schema|database)_to_xml\w*|dblink\w*|ts_stat|pg_read_\w+|lo_\w+)\b/i
const word = /"((?:[^"]|"")+)"|[a-z_\u0080-\uffff][\w$\u0080-\uffff]*/gi
const reading_word = /\b(?:from|join|into|update|table|only|using)\s+(?:\w+\.)?["']?(\w+)/gi

/** The text of a raw fragment with everything nested in it; values become `?`. */
function flatten(node: OperationNode): string {
  switch (node.kind) {
    case 'RawNode': {
      const { sqlFragments, parameters } = node as RawNode
      return sqlFragments.map((text, i) => text + (parameters[i] ? flatten(parameters[i]) : '')).join('')
    }
    case 'IdentifierNode':
      return `"${(node as IdentifierNode).name.replaceAll('"', '""')}"`
    case 'SchemableIdentifierNode': {
      const { schema, identifier } = node as SchemableIdentifierNode
      return (schema ? `${flatten(schema)}.` : '') + flatten(identifier)
    }
    case 'TableNode':
      return flatten((node as TableNode).table)
    case 'ReferenceNode':
      // A column; what it is called is no reading of a table.
      return (node as ReferenceNode).table ? '?.?' : '?'
    default:
      return ' ? '
  }
}

/**
 * Raw SQL cannot be limited, so it may not read or write tenant tables, nor reach out of the place where it stands.
 * A tenant table's name may appear only before a dot (`terminal.name`) or within a text.
 */
export function assertHarmless(node: RawNode, rules: ScopeRules): void {
  const text = flatten(node)
  const code = text.replace(literals, (literal) => {
    for (const [, name] of literal.matchAll(reading_word))
      if (name && tenantTable(rules, name.toLowerCase())) throw refuse(text, `the table ${name} in a text`)
    return ' ? '
  })
  if (/;|--|\/\*|\\|u&["']/i.test(code)) throw refuse(text, 'a semicolon, a comment or an escape')
  if (indirect.test(code)) throw refuse(text, 'a function that runs text as SQL')
  if (!isBalanced(code)) throw refuse(text, 'an unbalanced parenthesis')
  for (const found of code.matchAll(word)) {
    const name = found[1]?.replaceAll('""', '"') ?? found[0].toLowerCase()
    const table = tenantTable(rules, name)
    if (table && !/^\s*\./.test(code.slice(found.index + found[0].length)))
      throw refuse(text, `the tenant table ${table} (a column of that name goes through sql.ref)`)
  }
}

/** Raw text at the end of a statement stands directly behind the scope's own condition. */
export function assertLockClause(node: RawNode): void {
  const text = flatten(node)
  if (!/^\s*for\s+(?:no\s+key\s+update|update|key\s+share|share)(?:\s+(?:skip\s+locked|nowait))?\s*$/i.test(text))
    throw refuse(text, 'a statement modifier other than a lock')
}

function isBalanced(code: string): boolean {
  let depth = 0
  for (const character of code) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth < 0) return false
  }
  return depth === 0
}

const refuse = (text: string, what: string) =>
  new ScopeError(`raw SQL within a tenant scope has ${what}; use the query builder: ${text.trim().slice(0, 200)}`)
