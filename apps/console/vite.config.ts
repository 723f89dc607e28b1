import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import type { Plugin } from 'vite'
import { errors } from '../../packages/contract/src/errors.ts'
import { pageBuild, server_url } from './page-build.ts'
import { precompress } from './precompress.ts'

/**
 * Leaves out what the contract says of its fields in words: the description of the API is made elsewhere, and every
 * page would load sentences that nobody sees.
 */
function withoutDescriptions(): Plugin {
  const described = /\s*\.describe\(\s*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`[^`]*`|\w+)\s*,?\s*\)/g
  return {
    name: 'without-descriptions',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/packages\/contract\/src\/.*\.ts$/ },
      handler: (code) => ({ code: code.replace(described, ''), map: null }),
    },
  }
}

/**
 * Leaves out what calls answer that are no lists: the server checks it, and nothing in a browser reads it; of a list the export needs
 * the fields. A schema that was named only there goes too, as each is made in a function that may be left out.
 */
function withoutOutputs(): Plugin {
  const withoutOutput = (code: string) =>
    code
      .split(/\boutput: (?!paged\(|z\.array\()/)
      .reduce((done, rest) => `${done}output: null as never${rest.slice(endOf(rest, (found) => found === ','))}`)
  const schema = /^((?:export )?const [A-Z]\w* = )(?=\w)/m
  const inFunctions = (code: string): string => {
    const [, before] = schema.exec(code) ?? []
    if (before === undefined) return code
    const at = code.search(schema) + before.length
    const rest = code.slice(at)
    const end = endOf(rest, (found, next) => found === '\n' && !/[ ).\]}]/.test(next))
    return `${code.slice(0, at)}/* @__PURE__ */ (() => (${rest.slice(0, end)}))()${inFunctions(rest.slice(end))}`
  }
  return {
    name: 'without-outputs',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/packages\/contract\/src\/calls\/.*\.ts$/ },
      handler: (code) => ({ code: inFunctions(withoutOutput(code)), map: null }),
    },
  }
}

/**
 * Leaves out what calls are called that only read: people meet the names of what changes something, in the log, and of what asks for
 * the password, in that question.
 */
function withoutTitlesOfReads(): Plugin {
  /** The fields of a call up to its title, if it says one itself. */
  const before = /^(?:(?!\b(?:title|input|output|write|read)\b)[^])*\btitle: /
  const withoutTitle = (rest: string): string => {
    const [fields] = before.exec(rest) ?? []
    const call = rest.slice(
      0,
      endOf(rest, () => false),
    )
    if (fields === undefined || call.includes('asks_password')) return rest
    const after = rest.slice(fields.length)
    return `${fields}null as never${after.slice(endOf(after, (found) => found === ','))}`
  }
  return {
    name: 'without-titles-of-reads',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/packages\/contract\/src\/calls\/.*\.ts$/ },
      handler: (code) => ({
        code: code.split(/(?<=\bread\('(?:GET|POST)', )\{/).reduce((done, rest) => `${done}{${withoutTitle(rest)}`),
        map: null,
      }),
    },
  }
}

/** Where an expression ends that a text begins with: where `isEnd` says so outside of its brackets, or at a bracket that is none of its own. */
function endOf(text: string, isEnd: (found: string, next: string) => boolean): number {
  const texts = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/
  const patterns = /(?<=[(,=]\s*)\/(?![/*])(?:\[(?:[^\]\\\n]|\\.)*\]|[^/\\\n[]|\\.)+\//
  const rest = /\/\/.*|\/\*[^]*?\*\/|[([{)\]},\n]/
  const tokens = new RegExp([texts, patterns, rest].map(({ source }) => source).join('|'), 'g')
  let depth = 0
  for (const { 0: found, index } of text.matchAll(tokens)) {
    if (found.length > 1) continue
    if (depth === 0 && isEnd(found, text[index + 1] ?? '')) return index
    if ('([{'.includes(found)) depth += 1
    else if (')]}'.includes(found)) {
      if (depth === 0) return index
      depth -= 1
    }
  }
  return text.length
}

/** Writes codes of refusals as numbers: with the catalogue every page would load its sentences in three languages. */
function withoutCatalogue(): Plugin {
  const codes: Record<string, { result: number } | undefined> = errors
  return {
    name: 'without-catalogue',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: /\/apps\/console\/src\/.*\.tsx?$/ },
      handler: (code) => ({
        code: code.replace(/\berrors\.(\w+)\.result\b/g, (said, name: string) => String(codes[name]?.result ?? said)),
        map: null,
      }),
    },
  }
}

export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    withoutDescriptions(),
    withoutOutputs(),
    withoutTitlesOfReads(),
    withoutCatalogue(),
    react(),
    precompress(),
  ],
  build: {
    ...pageBuild,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Half a kilobyte each, and as much again to ask for it.
            { name: 'icons', test: /@ant-design[\\/]icons/, minShareCount: 8 },
            // What most screens need of antd: together it compresses better, and is asked for once instead of 30 times.
            { name: 'parts', test: /node_modules[\\/](antd|@rc-component)[\\/]/, minShareCount: 28 },
            // Otherwise it would go along with the parts, and the page of signing in would load them too.
            {
              name: 'base',
              test: /node_modules[\\/](react|react-dom|scheduler|react-i18next|i18next)[\\/]/,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/events', '/upload', '/files', '/url.json', '/login/oidc'].map((path) => [path, server_url]),
    ),
  },
})
