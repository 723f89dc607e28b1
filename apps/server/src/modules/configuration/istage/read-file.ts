import { TextDecoder } from 'node:util'
import {
  fieldFaultsOf,
  istageLimits,
  istageTypeNames,
  isVersionOf,
  isWellFormed,
  reservedKeys,
  templatejson_format,
} from '@mdm/contract'
import type { FieldFault, FieldFaultName, IstageKind } from '@mdm/contract'
import { faultOfValue, patternsOf, TemplateJson } from '@mdm/contract/istage/index.ts'
import { visit } from 'jsonc-parser'
import { bytesText } from '../../../lib/bytes.ts'
import { Refusal, refuse } from '../../../refusal.ts'
import { matcher, refusalOfPattern } from './patterns.ts'

/**
 * What a file of templatejson says, its defaults filled in. Nothing of a file is believed: it is at most 1 MB, UTF-8, JSON
 * without twice the same key, and no deeper than a template is.
 */
export function readTemplate(bytes: Buffer): TemplateJson {
  const max = istageLimits.template_bytes
  if (bytes.length > max) refuse('file_too_large', { max: bytesText(max) })
  const json = parse(decode(bytes))
  if (!isRecord(json) || json['templatejson'] !== templatejson_format)
    throw notTemplate('', { name: 'template_format', details: { format: templatejson_format } })
  if (!istageTypeNames.some((type) => type === json['type'])) refuse('template_type_unknown')
  const { kind, version } = json
  if ((kind === 'standard' || kind === 'custom') && !isRightVersion(kind, version)) refuse('template_version_format')
  const parsed = TemplateJson.safeParse(json)
  if (!parsed.success) throw new Refusal('template_not_templatejson', {}, fieldFaultsOf(parsed.error, json))
  assertPatterns(parsed.data)
  assertDefaults(parsed.data)
  return parsed.data
}

const isRightVersion = (kind: IstageKind, version: unknown): boolean =>
  typeof version === 'string' && version.length <= 100 && isVersionOf(kind, version)

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const notTemplate = (path: string, fault: FieldFault): Refusal =>
  new Refusal('template_not_templatejson', {}, { [path === '' ? 'content' : path]: fault })

function decode(bytes: Buffer): string {
  const has_mark = [
    [0xef, 0xbb, 0xbf],
    [0xfe, 0xff],
    [0xff, 0xfe],
  ].some((mark) => mark.every((byte, at) => bytes[at] === byte))
  if (has_mark) throw notTemplate('', { name: 'file_encoding' })
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw notTemplate('', { name: 'file_encoding' })
  }
}

/** `JSON.parse` keeps the last of two equal keys and silently loses the other, so the text is walked first. */
function parse(text: string): unknown {
  const objects: Set<string>[] = []
  let depth = 0
  const fail = (name: FieldFaultName, details: Record<string, string | number>): never => {
    throw notTemplate('', { name, details })
  }
  const enter = () => {
    depth += 1
    if (depth > istageLimits.depth) fail('too_deep', { max: istageLimits.depth })
  }
  const leave = () => {
    depth -= 1
  }
  visit(
    text,
    {
      onObjectBegin: () => {
        enter()
        objects.push(new Set())
      },
      onObjectProperty: (key) => {
        const keys = objects.at(-1)
        if (reservedKeys.includes(key) || key.length > 100) fail('keys_unknown', { keys: key.slice(0, 100) })
        if (keys?.has(key)) fail('key_repeated', { key })
        keys?.add(key)
      },
      onObjectEnd: () => {
        leave()
        objects.pop()
      },
      onArrayBegin: enter,
      onArrayEnd: leave,
      onLiteralValue: (value, offset) => {
        if (typeof value === 'string' && !isWellFormed(value)) fail('file_json', { at: offset })
      },
      onError: (_, offset) => fail('file_json', { at: offset }),
    },
    { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false },
  )
  try {
    return JSON.parse(text)
  } catch {
    return fail('file_json', { at: 0 })
  }
}

/** @throws `template_regex` at the first regular expression that the engine does not take */
function assertPatterns(template: TemplateJson): void {
  for (const { path, pattern } of patternsOf(template)) {
    const reason = refusalOfPattern(pattern)
    if (reason !== undefined)
      throw new Refusal(
        'template_regex',
        { pattern, reason },
        { [path]: { name: 'template_regex', details: { reason } } },
      )
  }
}

/** A default has to be one that can be saved as it is. */
function assertDefaults({ modules }: TemplateJson): void {
  const matches = matcher()
  const faults: Record<string, FieldFault> = {}
  modules.forEach((module, at) => {
    module.fields.forEach((field, of) => {
      if (field.kind === 'file' || field.default === undefined || field.default === '') return
      if (faultOfValue(field, field.default, matches))
        faults[`modules.${at}.fields.${of}.default`] = { name: 'template_default' }
    })
  })
  if (Object.keys(faults).length > 0) throw new Refusal('template_not_templatejson', {}, faults)
}
