import { expect, it } from 'vitest'
import { holdable } from './held-objects.ts'
import type { ObjectStore } from './object-store.ts'

it('deletes when the last that holds lets go, and at once where nobody does', async () => {
  const deleted: string[] = []
  const { store, hold } = holdable({ delete: async (key: string) => void deleted.push(key) } as unknown as ObjectStore)
  await store.delete('before')
  const [first, second] = [hold(), hold()]
  await store.delete('meanwhile')
  await first()
  await first()
  expect(deleted).toEqual(['before'])
  await second()
  expect(deleted).toEqual(['before', 'meanwhile'])
})
