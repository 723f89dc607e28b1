import type { ErrorDetails, ErrorName } from '@mdm/contract'

/** Of one task. Processor and memory are the process's own; the clock is there for what waits and does neither. */
export type TaskLimits = { cpu_ms: number; mebibytes: number; clock_ms: number }

export type ToReader =
  | { kind: 'task'; name: string; input: unknown; size: number; limits: TaskLimits }
  | { kind: 'bytes'; id: number; bytes: Uint8Array }
  | { kind: 'no_bytes'; id: number; message: string }

export type FromReader =
  | { kind: 'read'; id: number; start: number; length: number }
  | { kind: 'done'; value: unknown }
  | { kind: 'refused'; refusal: ErrorName; details: ErrorDetails }
  | { kind: 'broken'; stack: string }

/** More than any task asks for at once. */
export const read_bytes_max = 16 * 1024 ** 2
