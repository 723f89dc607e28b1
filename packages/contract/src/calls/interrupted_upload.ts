import * as z from 'zod'
import { read } from '../kit.ts'
import type { Permission } from '../permissions.ts'
import { Bytes, Instant, Kid, Nothing, text } from '../wire.ts'

export const InterruptedUpload = z.object({
  upload_kid: Kid,
  name: z.string().describe('of the file as it was chosen'),
  fingerprint: z.string().describe('as the browser that began it said: its size, its time and its name'),
  size: Bytes,
  received: Bytes.describe('when its last connection ended'),
  created_at: Instant,
})
export type InterruptedUpload = z.output<typeof InterruptedUpload>

/** By which whoever chooses a file finds the upload of it that another browser began: of every space that is uploaded to. */
export const listUpload = (needs: Permission) =>
  read('GET', {
    needs,
    title: text('List unfinished uploads', 'Lượt tải lên chưa xong', '未完成的上传'),
    input: Nothing,
    output: z.array(InterruptedUpload).describe('of the caller, newest first'),
  })
