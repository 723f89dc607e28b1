import openapiTS, { astToString } from 'openapi-typescript'
import { describe, expect, test } from 'vitest'
import { openapi } from './openapi.ts'

type Components = Record<'schemas' | 'responses' | 'parameters', Record<string, unknown>>
const document = openapi() as { components: Components; paths: Record<string, unknown> }
const refersTo = (kind: keyof Components): string[] => [
  ...new Set(
    [...JSON.stringify(document).matchAll(new RegExp(`"#/components/${kind}/(\\w+)"`, 'g'))].map(([, name]) => name!),
  ),
]

describe('the OpenAPI document', () => {
  test.each(['schemas', 'responses', 'parameters'] as const)(
    'refers only to %s that it has, and has none that nothing refers to',
    (kind) => {
      expect(refersTo(kind).toSorted()).toEqual(Object.keys(document.components[kind]).toSorted())
    },
  )

  test('gives a generated client named types for what calls take and answer', async () => {
    const types = astToString(await openapiTS(document as never))
    for (const name of ['TerminalRow', 'TerminalDetail', 'PushTaskRow', 'CustomerRow', 'Where'])
      expect(types).toContain(`        ${name}: `)
    expect(types).toContain('items: components["schemas"]["TerminalRow"][]')
    expect(types).toContain('data: components["schemas"]["PagedTerminalRow"]')
    expect(types).toContain('200: components["responses"]["PagedTerminalRow"]')
    expect(types).toContain('409: components["responses"]["upload_not_finished"]')
    expect(types).toContain('where?: components["schemas"]["Where"]')
    // What generators call a type that nobody named.
    expect(types).not.toMatch(/__schema\d+/)
  })
})
