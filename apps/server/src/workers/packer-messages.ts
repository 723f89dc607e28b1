import type { ApkError } from '../lib/apk/source.ts'
import type { Layers, LayersDone } from '../lib/os-layers.ts'
import type { TaskLimits } from './reader-messages.ts'

export type ToPacker = { layers: Layers; limits: TaskLimits }
export type FromPacker =
  | { kind: 'progress'; done: number; total: number }
  | { kind: 'done'; value: LayersDone }
  | { kind: 'conflict'; name: string }
  | { kind: 'refused'; reason: ApkError['reason'] }
  | { kind: 'disk_full' }
  | { kind: 'broken'; stack: string }
