import type { DataStore } from '@tus/server'
import type { Selectable } from 'kysely'
import type { Tables } from '../db/schema/tables.ts'
import type { Deps } from '../deps.ts'
import type { ObjectInfo } from './object-store.ts'
import { PartUploads } from './part-uploads.ts'
import { uploadFolder, UploadStore } from './upload-store.ts'

type Row = Selectable<Tables['upload']>

/** Where the bytes of uploads lie until they are whole, as tus writes them. */
export type UploadBytes = DataStore & {
  /** Of bytes that have all come here without a gap. Once. */
  digested(kid: string, size: number): ObjectInfo | undefined
  received(row: Pick<Row, 'kid'>): Promise<number>
  /** Makes an object of what is whole; undefined while bytes are missing. Safe to repeat. */
  finish(row: Row, digested?: ObjectInfo): Promise<ObjectInfo | undefined>
  /** The bytes of one whose row is gone. */
  drop(row: Pick<Row, 'kid' | 'multipart'>): Promise<void>
  /** Removes bytes that no row knows. */
  sweep(): Promise<void>
}

/** A store that takes parts is one that every server reaches; else they lie below MDM_DATA. */
export const uploadBytes = (deps: Deps): UploadBytes =>
  (deps.memory.uploads ??= deps.objects.parts
    ? new PartUploads(deps, deps.objects.parts)
    : new UploadStore({ directory: uploadFolder(deps), deps }))
