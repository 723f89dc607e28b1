import type { IstageContent } from '@mdm/contract'
import { describe, expect, it } from 'vitest'
import { variablesIn, withValues } from './variables.ts'

describe('variables of a configuration', () => {
  const content: IstageContent = {
    wifi: [
      { ssid: 'Kho ${Store}', channel: 6 },
      { ssid: '${ store }', password: '${Pass}' },
    ],
  }

  it('are found once, and replaced by what a row has', () => {
    expect(variablesIn(content)).toEqual(['Store', 'Pass'])
    expect(withValues(content, { Store: 'S7', Pass: 'x' }, 100)).toEqual({
      content: {
        wifi: [
          { ssid: 'Kho S7', channel: 6 },
          { ssid: 'S7', password: 'x' },
        ],
      },
      bytes: 9,
    })
  })

  it('are not replaced where that would be more than a code can hold, however often they are used', () => {
    const blown = { wifi: Array.from({ length: 2_000 }, () => ({ ssid: '${a}'.repeat(1_000) })) }
    const before = process.memoryUsage().heapUsed
    const { content: filled, bytes } = withValues(blown, { a: 'x'.repeat(1_000) }, 65_536)
    expect(filled).toBeUndefined()
    expect(bytes).toBeGreaterThan(65_536)
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 ** 2)
  })
})
