import type { MessagePort } from 'node:worker_threads'
import type { ExportFormat } from '@mdm/contract'
import type { Cell } from './sheet.ts'
import type { Layout } from '../lib/office/write.ts'

/** What is written in a thread; a CSV is quick enough where its rows are read. */
export type ThreadFormat = Exclude<ExportFormat, 'csv'>
/** Begins one file; everything else about it goes through its port, and ends with it. */
export type ToThread = { format: ThreadFormat; layout: Layout; port: MessagePort }

/** Each side answers what the other asked for: more of the file, more of its rows. */
export type ToWriter = { kind: 'read' } | { kind: 'rows'; rows: readonly (readonly Cell[])[] | undefined }
export type FromWriter =
  { kind: 'bytes'; bytes: Uint8Array } | { kind: 'end' } | { kind: 'failed'; message: string } | { kind: 'more_rows' }
