import * as z from 'zod'
import { group, ofProvider, read, write } from '../kit.ts'
import { ByKid, Count, Done, Kid, paged, paging, text } from '../wire.ts'
import { ConfigAffected, ConfigChange, ConfigVersion } from './terminal_config.ts'
import {
  appRows,
  ConfigSettings,
  effectives,
  intended,
  given_twice,
  isIntended,
  isOneOf,
  isSaved,
  nothing_given,
  savedSections,
  Sections,
  types,
} from './terminal_config_kit.ts'

/** The values that hold where no account, group or device says otherwise. */
export const opsTerminalConfig = group(
  ofProvider('ops/terminal_config'),
  text('Platform configuration', 'Cấu hình nền tảng', '平台配置'),
  {
    get: read('GET', {
      needs: 'platformConfig',
      title: text('Read what the platform sets', 'Đọc thiết lập của nền tảng', '读取平台设置'),
      input: z.object({}),
      output: ConfigSettings,
    }),
    get_config: read('GET', {
      needs: 'platformConfig',
      title: text('Read the configuration of the platform', 'Đọc cấu hình của nền tảng', '读取平台配置'),
      input: z.object({ types }),
      output: z.object({
        ...effectives,
        devices: Count.describe('of all accounts'),
      }),
    }),
    save: write('POST', {
      needs: 'platformConfig:edit',
      title: text('Change the platform configuration', 'Thay đổi cấu hình nền tảng', '修改平台配置'),
      input: z.object(savedSections).refine(isSaved, nothing_given).refine(isOneOf, given_twice),
      output: Done,
      destroys: () => true,
    }),
    reset: write('POST', {
      needs: 'platformConfig:edit',
      title: text('Reset the platform configuration', 'Đặt lại cấu hình nền tảng', '重置平台配置'),
      input: z.object({ sections: Sections.optional().describe('all when absent') }),
      output: z.object({ reset: Count }),
      destroys: () => true,
    }),
    affected: read('POST', {
      needs: 'platformConfig',
      title: text(
        'See what a change of the platform would do',
        'Xem thay đổi của nền tảng sẽ ảnh hưởng gì',
        '查看平台配置修改的影响',
      ),
      input: z.object(intended).refine(isIntended, nothing_given),
      output: ConfigAffected,
    }),
    change_paging: read('POST', {
      needs: 'platformConfig',
      title: text(
        'List changes of the platform configuration',
        'Danh sách thay đổi cấu hình nền tảng',
        '平台配置变更列表',
      ),
      input: paging(['created_at']),
      output: paged(ConfigChange),
    }),
    change_get: read('GET', {
      needs: 'platformConfig',
      title: text('Read a change of the platform configuration', 'Đọc thay đổi cấu hình nền tảng', '读取平台配置变更'),
      input: ByKid,
      output: ConfigVersion,
    }),
    revert: write('POST', {
      needs: 'platformConfig:edit',
      title: text(
        'Go back to a version of the platform configuration',
        'Quay lại một phiên bản cấu hình nền tảng',
        '恢复平台配置到某个版本',
      ),
      input: z.object({ kid: Kid.describe('of the change that made the version') }),
      output: z.object({ sections: z.array(z.string()).describe('that changed by it') }),
      destroys: () => true,
    }),
    ...appRows('platformConfig'),
  },
)
