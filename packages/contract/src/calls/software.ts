import * as z from 'zod'
import { group, read } from '../kit.ts'
import { Count, Kid, paged, paging, Search, text } from '../wire.ts'
import { VersionCode } from './app_package.ts'

export const SoftwareRow = z.object({
  kid: z.string().describe('the same for the same package, version and code'),
  package: z.string(),
  version: z.string().describe('as the devices say it; empty where they do not'),
  version_code: VersionCode.nullable().describe('where the devices say it'),
  devices: Count,
  app_kid: Kid.nullable().describe('of the app center, where the account sees it there'),
  name: z.string().nullable().describe('as the app center has it'),
  is_behind: z.boolean().describe('below what the app center offers'),
})
export type SoftwareRow = z.output<typeof SoftwareRow>

export const software = group('software', text('Software', 'Phần mềm', '软件'), {
  paging: read('POST', {
    needs: 'softwareReport',
    title: text('Report software on devices', 'Báo cáo phần mềm trên thiết bị', '设备软件报告'),
    input: paging(['devices', 'package']).extend({
      text: Search.describe('part of a package, or of the name of an app'),
      package: z.string().max(200).optional(),
      is_behind: z.boolean().optional(),
      is_managed: z.boolean().optional().describe('whether the app center has it'),
    }),
    output: paged(SoftwareRow),
  }),
})
