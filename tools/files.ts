import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './terminal.mjs'

/** Paths, from the root, of files that git tracks or would track. */
const listed = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(root, path)))

export const sources: string[] = listed('*.ts', '*.tsx', '*.mjs')
/** What the console looks like. */
export const sheets: string[] = listed('apps/console/src/**/*.css')
/** What people read besides the console: pages of text, and the schemas that are published. */
export const documents: string[] = listed('*.md', 'packages/contract/openapi.json', 'docs/*.json')

export const read = (path: string): string => readFileSync(join(root, path), 'utf8')
export const isTest = (path: string): boolean => /\.test\.tsx?$|\.e2e\.ts$|\/testing\//.test(path)
