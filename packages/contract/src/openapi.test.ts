import openapiTS, { astToString } from 'openapi-typescript'
import { describe, expect, test } from 'vitest'
import { openapi } from './openapi.ts'

const document = openapi() as { components: { schemas: Record<string, unknown> }; paths: Record<string, unknown> }
const refs = [...new Set(JSON.stringify(document).match(/#\/components\/schemas\/\w+/g))].map((ref) =>
  ref.slice('#/components/schemas/'.length),
)

describe('the OpenAPI document', () => {
  test('refers only to components that it has, and has none that nothing refers to', () => {
    expect(refs.toSorted()).toEqual(Object.keys(document.components.schemas).toSorted())
  })

  test('gives a generated client named types for what calls take and answer', async () => {
    const types = astToString(await openapiTS(document as never))
    for (const name of ['TerminalRow', 'TerminalDetail', 'PushTaskRow', 'CustomerRow', 'Where'])
      expect(types).toContain(`        ${name}: `)
    expect(types).toContain('items: components["schemas"]["TerminalRow"][]')
    expect(types).toContain('where?: components["schemas"]["Where"]')
    // What generators call a type that nobody named.
    expect(types).not.toMatch(/__schema\d+/)
  })
})
