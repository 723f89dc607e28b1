import { contract, errors, languages, permissions } from '@mdm/contract'
import type { Call } from '@mdm/contract'
import { describe, expect, test } from 'vitest'
import { documents, isTest, read, sheets, sources } from './files.ts'
import { unscopedFiles, usesUnscoped } from './unscoped-files.ts'

const code = sources.filter((path) => /\.tsx?$/.test(path))
const find = (files: string[], pattern: RegExp) =>
  files.flatMap((path) =>
    read(path)
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${path}:${i + 1} ${line.trim()}`] : [])),
  )

describe('house rules', () => {
  test('no file is longer than 500 lines', () => {
    expect(code.filter((path) => read(path).split('\n').length > 501)).toEqual([])
  })

  test('nothing is left open in the code', () => {
    const words = ['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'not ' + 'implemented', 'coming ' + 'soon']
    expect(find(code, new RegExp(`\\b(${words.join('|')})\\b`))).toEqual([])
  })

  test('no test is skipped or narrowed by hand; a test that needs a program uses skipIf with its reason', () => {
    expect(find(code.filter(isTest), /\b(it|test|describe)\.(skip|only|todo|fixme)\b/)).toEqual([])
  })

  test('a page that a browser test opens is asked something before the next one is opened in its place', () => {
    const unasked =
      /await (\w+)\.goto\((?:[^()]|\([^()]*\))*\)\n(?:\s*await settled\(\1\b[^\n]*\n)?\s*(?:await (?:\1\.(?:goto|close)|arrive)\(|\}\)$)/gm
    const found = code
      .filter((path) => path.endsWith('.e2e.ts'))
      .flatMap((path) => [...read(path).matchAll(unasked)].map(([lines]) => `${path}: ${lines}`))
    expect(found).toEqual([])
  })

  test('no test gives itself less time than all have, which is meant for a machine that is busy', () => {
    const limits = /^\s*(?:\}, |(?:before|after)(?:All|Each)\(.*, )(\d[\d_]{4,})\)$|(?:test|hook)Timeout: (\d[\d_]*)/
    const own = find(
      code.filter((path) => /\.test\.tsx?$/.test(path)),
      limits,
    ).filter((line) => {
      const [, closing, set] = limits.exec(line.replace(/^\S+ /, ''))!
      return Number((closing ?? set)!.replaceAll('_', '')) <= 240_000
    })
    expect(own).toEqual([])
  })

  test('what is tried again and again does not wait in each try for as long as a test may', () => {
    const tries = code
      .filter((path) => path.endsWith('.e2e.ts'))
      .flatMap((path) => [...read(path).matchAll(/expect\(async \(\) => \{([\s\S]*?)\n\s*\}\)\.toPass\(/g)])
    expect(tries).not.toEqual([])
    const waits = tries.flatMap(([, tried = '']) => tried.split('\n').filter((line) => /await expect\(/.test(line)))
    expect(waits.filter((line) => !line.includes('timeout:'))).toEqual([])
  })

  test('files are kebab-case, wire files snake_case, components PascalCase', () => {
    const odd = sources.filter((path) => {
      const file = path.split('/').at(-1)!
      if (/^[a-z0-9]+([-.][a-z0-9]+)*\.(ts|tsx|mjs|mts)$/.test(file)) return false
      if (path.startsWith('packages/contract/src/') || path.includes('/migrations/'))
        return !/^[a-z0-9_]+(\.test)?\.ts$/.test(file)
      return (
        !/^[A-Z][A-Za-z0-9]*(\.test)?\.tsx$/.test(file) &&
        !/^use[A-Z]\w*\.tsx?$/.test(file) &&
        !/^simpleResource\.tsx$/.test(file)
      )
    })
    expect(odd).toEqual([])
  })

  test('what people read is listed as their language lists it', () => {
    const files = code.filter((path) => path.startsWith('apps/console/src/') && !isTest(path))
    expect(find(files, /\.join\((['"`])(?:[,;] |、)\1\)/).map((line) => `${line}: use listText`)).toEqual([])
  })

  test('parameters of the address are changed by useSearch: what another way writes undoes the change before it', () => {
    const own = 'apps/console/src/core/address.ts'
    const files = code.filter((path) => path.startsWith('apps/console/src/') && path !== own)
    expect(find(files, /, \w+\] = useSearchParams\(/)).toEqual([])
  })

  test('every drawer is the one whose focus begins where something is to be filled in', () => {
    const own = 'apps/console/src/ui/dialog/Drawer.tsx'
    const files = code.filter((path) => path.startsWith('apps/console/src/') && !isTest(path) && path !== own)
    expect(find(files, /^import \{[^}]*\bDrawer\b[^}]*\} from 'antd'/)).toEqual([])
  })

  test('every dialog with a cross is the one whose focus does not begin there', () => {
    const own = 'apps/console/src/ui/dialog/Dialog.tsx'
    const has_cross = (path: string) => !read(path).includes('closable={false}')
    const files = code.filter((path) => path.startsWith('apps/console/src/') && path !== own && has_cross(path))
    expect(find(files, /^import \{[^}]*\bModal\b[^}]*\} from 'antd'/)).toEqual([])
  })

  test('a class has its look from one file, and one block of its own there: two that chose one name would mix theirs', () => {
    const files = new Map<string, Set<string>>()
    const alone: string[] = []
    for (const path of sheets) {
      const plain = read(path).replaceAll(/\/\*[^]*?\*\//g, '')
      alone.push(...[...plain.matchAll(/(?<!,\n)^(\.[\w-]+) \{$/gm)].map(([, name]) => name!))
      // What holds for every page stands in the one file that is always there.
      if (path === 'apps/console/src/app/styles.css') continue
      for (const [, selectors] of plain.matchAll(/([^{}]+)\{/g)) {
        for (const selector of selectors!.split(',').map((each) => each.trim())) {
          if (/^\.[\w-]+$/.test(selector)) files.set(selector, (files.get(selector) ?? new Set()).add(path))
        }
      }
    }
    const twice = [...files].filter(([, paths]) => paths.size > 1)
    expect(twice.map(([selector, paths]) => `${selector}: ${[...paths].join(', ')}`)).toEqual([])
    expect(alone.length).toBeGreaterThan(100)
    expect(alone.filter((name, at) => alone.indexOf(name) < at)).toEqual([])
  })

  test('the server asks its clock for the time', () => {
    const files = code.filter(
      (path) => /^apps\/server\/src\/(modules|link\/inbound|jobs|http)\//.test(path) && !isTest(path),
    )
    expect(find(files, /\bDate\.now\(\)|new Date\(\)/)).toEqual([])
  })

  test('every decision stands once in their index, by its title', () => {
    const index = read('docs/decisions/README.md')
    const titles = documents.flatMap((path) => {
      const file = /^docs\/decisions\/((\d{3})-.*)$/.exec(path)
      if (!file) return []
      const title = read(path)
        .split('\n', 1)[0]!
        .replace(/^# \d{3}:? /, '')
      return `- [${file[2]}](${file[1]}) ${title[0]!.toUpperCase()}${title.slice(1)}`
    })
    expect(
      index
        .split('\n')
        .filter((line) => line.startsWith('- '))
        .toSorted(),
    ).toEqual(titles.toSorted())
  })

  test('modules and http reach rows through a scope, but for the files that are listed with their reason', () => {
    const files = code.filter((path) => /^apps\/server\/src\/(modules|http)\//.test(path) && !isTest(path))
    const users = files.filter((path) => usesUnscoped(read(path)))
    const list = 'tools/unscoped-files.ts'
    expect([
      ...users
        .filter((path) => !unscopedFiles.has(path))
        .map(
          (path) =>
            `${path} uses deps.db, the rows of all accounts: use actor.scope, or list it in ${list} and say why`,
        ),
      ...[...unscopedFiles.keys()]
        .filter((path) => !users.includes(path))
        .map((path) => `${path} does not use deps.db any more: take it off ${list}`),
    ]).toEqual([])
  })

  test.each([
    'await ctx.deps.db.selectFrom("terminal")',
    'const { clock, db } = deps',
    'function list({ db: all, clock }: Deps) {}',
    'const own = ({ deps: { db }, user }: Actor) => db',
    "const all = (db: Deps['db']) => db",
    "type Few = Pick<Deps, 'clock' | 'db'>",
    'const all = deps.database.kysely',
  ])('a use of the unscoped database is found in %s', (source) => {
    expect(usesUnscoped(source)).toBe(true)
  })

  test.each(['await actor.scope.selectFrom("terminal")', '/** Not `deps.db`. */', 'run(db, trx) // deps.db'])(
    'no use of the unscoped database is found in %s',
    (source) => expect(usesUnscoped(source)).toBe(false),
  )

  test('what a call or a page does is said by its row, and never follows from the form of its name', () => {
    const row = String.raw`(?:call|page|screen|each|c)\.(?:path|key|group)`
    const by_name = new RegExp(
      String.raw`\b${row}\.(?:startsWith|endsWith|includes|match|search)\(|/\w*\.test\(${row}\)|\.has\(call\.`,
    )
    const files = code.filter((path) => /^(?:apps|packages|testbed)\//.test(path))
    expect(find(files, by_name).map((line) => `${line}: give the row a flag`)).toEqual([])
  })

  test('default exports are lazily loaded, and configuration that its tool asks for', () => {
    const lazy = new Set(
      code.flatMap((path) =>
        [...read(path).matchAll(/import\('\.{1,2}\/(?:[^']*\/)?([^'/]+)'\)/g)].map((match) => match[1]!),
      ),
    )
    const files = code.filter(
      (path) =>
        !path.endsWith('config.ts') &&
        !['tools/test-run.ts', 'e2e/seed-demo.ts'].includes(path) &&
        !lazy.has(path.split('/').at(-1)!),
    )
    expect(find(files, /^export default /)).toEqual([])
  })

  test('icons are hidden from screen readers, which would read their English file names, or have a name of their own', () => {
    const console_files = code.filter((path) => path.startsWith('apps/console/src/') && path.endsWith('.tsx'))
    const icon = /<[A-Z]\w*(?:Outlined|Filled|TwoTone)\b[^>]*>/g
    const read_out = console_files.flatMap((path) =>
      [...read(path).matchAll(icon)]
        .filter(([tag]) => !/\baria-(hidden|label)\b/.test(tag))
        .map(([tag]) => `${path} ${tag}`),
    )
    expect(read_out).toEqual([])
  })

  test('menus take the focus when they open', () => {
    const console_files = code.filter((path) => path.startsWith('apps/console/src/') && path.endsWith('.tsx'))
    expect(console_files.filter((path) => /<Dropdown\b/.test(read(path)))).toEqual([
      'apps/console/src/ui/dialog/DropMenu.tsx',
    ])
  })

  test('counts are shown as their reader writes numbers, by Count or useCount', () => {
    const console_files = code.filter((path) => path.startsWith('apps/console/src/') && path.endsWith('.tsx'))
    // As the field of a column, as the text of an element, or alone on its line.
    const count = String.raw`\{\w*(?:[?!]?\.\w+)*(?:_count|\.(?:count|total|length|devices))\}`
    const raw = new RegExp(String.raw`dataIndex: '\w*_count'|>\s*${count}\s*<|^\s*${count}$`)
    expect(find(console_files, raw)).toEqual([])
  })

  test("rows stand in ListTable, which is alone in using antd's table", () => {
    const console_files = code.filter((path) => path.startsWith('apps/console/src/') && path.endsWith('.tsx'))
    expect(console_files.filter((path) => /<Table\b/.test(read(path)))).toEqual([
      'apps/console/src/ui/list/ListTable.tsx',
    ])
  })

  test('the product holds no path of a machine and no registry', () => {
    expect(find(sources, new RegExp(['/wo' + 'rk/', 'registry\\.npm' + 'js'].join('|')))).toEqual([])
  })
})

describe('the contract', () => {
  const calls = Object.values(contract).flatMap((group) => Object.values(group.calls) as Call[])

  test('paths are unique, snake_case and in their group', () => {
    expect(new Set(calls.map((c) => `${c.method} ${c.path}`)).size).toBe(calls.length)
    expect(calls.filter((c) => !/^[a-z_]+(\/[a-z_]+){0,6}$/.test(c.path)).map((c) => c.path)).toEqual([])
  })

  test('every name and message is there in every language', () => {
    const texts = [
      ...Object.entries(errors).map(([name, e]) => [name, e.message] as const),
      ...calls.map((c) => [c.path, c.title] as const),
      ...Object.entries(contract).map(([key, g]) => [key, g.title] as const),
    ]
    expect(texts.filter(([, text]) => languages.some((l) => !text[l]?.trim())).map(([name]) => name)).toEqual([])
  })

  test('a translation keeps the placeholders of the original', () => {
    const holes = (text: string) =>
      [...text.matchAll(/\{\w+\}/g)]
        .map((m) => m[0])
        .toSorted()
        .join()
    const odd = Object.entries(errors).filter(([, { message }]) =>
      languages.some((l) => holes(message[l]) !== holes(message.en)),
    )
    expect(odd.map(([name]) => name)).toEqual([])
  })

  test('result codes are unique', () => {
    const results = Object.values(errors).map((e) => e.result)
    expect(new Set(results).size).toBe(results.length)
  })

  test('only sign-in is public', () => {
    expect(calls.filter((c) => c.needs === 'public').map((c) => c.path)).toEqual([
      'login/puzzle',
      'login/check_puzzle',
      'login/login',
      'login/forgot_password',
      'login/read_link',
      'login/set_password',
      'login/totp',
      'login/options',
      'login/exchange',
      'login/passkey_begin',
      'login/passkey',
      // A receipt that only who holds the code can give.
      'activation/report',
    ])
  })

  test('every permission of a button is asked for by a call', () => {
    const needed = new Set<string>(calls.flatMap((c) => c.needs))
    // Some depend on what a call is given, so they stand beside its row.
    const asked = sources
      .filter((path) => path.startsWith('packages/contract/src/calls/'))
      .map(read)
      .join('\n')
    expect(permissions.filter((p) => p.includes(':') && !needed.has(p) && !asked.includes(`'${p}'`))).toEqual([])
  })
})
