import type { ApkError } from '../lib/apk/source.ts'
import type { DeltaFacts, Making } from '../lib/os-delta/make.ts'
import type { TaskLimits } from './reader-messages.ts'

export type ToDeltaMaker = Omit<Making, 'on_progress'> & { limits: Omit<TaskLimits, 'clock_ms'> }

export type FromDeltaMaker =
  | { kind: 'progress'; percent: number }
  | { kind: 'done'; facts: DeltaFacts }
  | { kind: 'invalid'; reason: ApkError['reason']; message: string }
  | { kind: 'broken'; stack: string; code: string | undefined }
