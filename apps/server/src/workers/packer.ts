// Packs one OS: it reads packages that strangers made, and ends with its answer.
import { isOfLayer, LayerConflict, packLayers } from '../lib/os-layers.ts'
import type { FromPacker, ToPacker } from './packer-messages.ts'
import { watchOver } from './serve.ts'

const told_ms = 200

const say = (said: FromPacker): void => void process.send?.(said, () => {})

process.on('disconnect', () => process.exit())
process.on('message', ({ layers, limits }: ToPacker) => {
  watchOver(limits)
  let told = 0
  packLayers(layers, (done, total) => {
    const now = performance.now()
    if (now - told < told_ms) return
    told = now
    say({ kind: 'progress', done, total })
  }).then(
    (value) => say({ kind: 'done', value }),
    (error: unknown) => {
      if (error instanceof LayerConflict) say({ kind: 'conflict', name: error.message })
      else if (isOfLayer(error)) say({ kind: 'refused', reason: error.reason })
      else if ((error as NodeJS.ErrnoException).code === 'ENOSPC') say({ kind: 'disk_full' })
      else say({ kind: 'broken', stack: String((error as Error).stack) })
    },
  )
})
