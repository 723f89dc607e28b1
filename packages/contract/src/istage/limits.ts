import { constants } from '../constants.ts'

/** The format of template files, documented in docs/templatejson.md. */
export const templatejson_format = 1
export const istageLimits = {
  modules: 50,
  fields: 100,
  objects: 100,
  parameters: 200,
  options: 200,
  /** Characters of a regular expression. */
  pattern: 200,
  text: 4_000,
  depth: 12,
  template_bytes: constants.config_file_bytes,
  /** All of a configuration, its files included. */
  content_bytes: 2 * constants.config_file_bytes,
} as const

/** Names that mean something to JavaScript's objects; no key of a template and no parameter is called so. */
export const reservedKeys: readonly string[] = ['__proto__', 'constructor', 'prototype']

export const hasControls = (value: string): boolean =>
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/.test(value)

/** Half of a pair of UTF-16 is no character, and no database keeps it. */
export const isWellFormed = (value: string): boolean => !/[\uD800-\uDFFF]/u.test(value)
