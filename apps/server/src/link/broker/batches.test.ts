import fc from 'fast-check'
import { expect, test } from 'vitest'
import { upNames } from '@mdm/device-link'
import { newKid } from '../../lib/ids.ts'
import { packForBroker, packForServer, unpackUps } from './batches.ts'
import type { ToBroker, ToServer } from './broker-messages.ts'

const id = fc.nat(0xffff_ffff)
const kid = fc.constant(null).map(newKid)

test('messages of the broker arrive whole and in order', () => {
  const up = fc.record({
    t: fc.constant('up' as const),
    ...{ id, kid, name: fc.constantFrom(...upNames), payload: fc.uint8Array({ maxLength: 2_000 }) },
  })
  const closed = fc.record({ t: fc.constant('closed' as const), kid, epoch: fc.string() })
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 5, arbitrary: up }, closed)), (batch: ToServer[]) => {
      const sent = packForServer(batch)
      const seen = sent.flatMap((item): object[] =>
        item.t === 'ups'
          ? [...unpackUps(item.bytes)].map((one) => ({ t: 'up', ...one, payload: new Uint8Array(one.payload) }))
          : [item],
      )
      expect(seen).toEqual(batch)
      expect(sent.every((item, i) => item.t !== 'ups' || sent[i + 1]?.t !== 'ups')).toBe(true)
    }),
  )
})

test('messages of the server arrive whole and in order', () => {
  const committed = fc.record({ t: fc.constant('committed' as const), id, is_committed: fc.boolean() })
  const kick = fc.record({ t: fc.constant('kick' as const), kid, reason: fc.string() })
  fc.assert(
    fc.property(fc.array(fc.oneof({ weight: 5, arbitrary: committed }, kick)), (batch: ToBroker[]) => {
      const seen = packForBroker(batch).flatMap((item): object[] =>
        item.t === 'commits'
          ? item.ids.map((one) => ({ t: 'committed', id: one, is_committed: item.is_committed }))
          : [item],
      )
      expect(seen).toEqual(batch)
    }),
  )
})
