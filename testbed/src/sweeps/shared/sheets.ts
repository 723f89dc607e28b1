import { batch_limits } from '@mdm/contract'
import { workbookParts, worksheet, zipOf } from '@mdm/server/testing/zip.ts'
import type { Caller } from '../../caller.ts'
import { createUpload, uploadFile } from '../../upload.ts'
import { lostUpload } from './uploads.ts'
import type { Stage } from '../stage.ts'

const devices = {
  header: 'SN,Work order,Verification code',
  row: 'A,B,C',
  rows_max: batch_limits.rows as number,
  bytes_max: batch_limits.sheet_bytes as number,
}
/** Sheets that nothing can be read from; `of` says what one that can be read looks like. */
export function sheetRefusals(s: Stage, who: Caller, more: object, of = devices) {
  const by = who.identity.token
  const sheet = async (content: string | Buffer) => {
    await s.dropUploads()
    return { upload_kid: await uploadFile(who, 'sheet', Buffer.from(content)), ...more }
  }
  /** What is no sheet of any kind, uploaded once for all of them. */
  const shared = (name: string, make: () => Promise<string>) => async () => {
    await s.dropUploads()
    return { upload_kid: await s.sharedUpload(`${name} by ${by}`, make), ...more }
  }
  const none = (name: string, content: string | Buffer) =>
    shared(name, () => uploadFile(who, 'sheet', Buffer.from(content)))
  const header = `${of.header}\n`
  return {
    upload_not_finished: shared('half a sheet', () => createUpload(who, 'half.csv', 1000)),
    file_transfer_failed: shared('a lost sheet', () => lostUpload(s, 'sheet', who)),
    file_too_large: shared(`a sheet of over ${of.bytes_max} bytes`, () =>
      uploadFile(who, 'sheet', Buffer.alloc(of.bytes_max + 1, 'a')),
    ),
    sheet_not_supported: none('an old sheet', Buffer.from('d0cf11e0a1b11ae1', 'hex')),
    sheet_damaged: none('a damaged sheet', 'PK\x03\x04'),
    // An archive whose end says that it has 60,000 entries.
    sheet_beyond_limits: none(
      'a huge sheet',
      Buffer.from(`504b0506${'00000000'}${'60ea60ea'}${'00'.repeat(10)}`, 'hex'),
    ),
    sheet_too_many_rows: () => sheet(header + `${of.row}\n`.repeat(of.rows_max + 1)),
    sheet_too_many_columns: none('a wide sheet', ','.repeat(5_000)),
    sheet_columns_missing: none('a sheet without columns', 'SN\nA\n'),
    sheet_columns_elsewhere: async () => sheet(await coverSheet()),
    // Cyrillic as windows-1251 has it.
    sheet_encoding_unknown: none('a Cyrillic sheet', Buffer.from('534e2cd1eae0e40a', 'hex')),
    sheet_empty: () => sheet(header),
    sheet_of_another_week: () => sheet(`MDM-WEEK 2020-W01\n${header}${of.row}\n`),
  }
}

/** A workbook whose first sheet is a cover, and whose second has nothing either. */
const coverSheet = (): Promise<Buffer> =>
  zipOf(
    workbookParts(worksheet('<row><c t="inlineStr"><is><t>Cover</t></is></c></row>'), {
      'xl/workbook.xml':
        '<workbook xmlns:r="x"><sheets><sheet name="Cover" sheetId="1" r:id="s"/><sheet name="Devices" sheetId="2" r:id="s"/></sheets></workbook>',
    }),
  )
