import { sql } from 'kysely'
import type { Kysely } from 'kysely'

type Name = readonly [en: string, vi: string, zh: string]
/** Entries of the menu by their code: as they were delivered, and as they are now. */
const renamed: readonly (readonly [code: string, old: Name, name: Name])[] = [
  [
    'opsOperationLogList',
    ['Operation log (all)', 'Nhật ký thao tác (tất cả)', '操作日志（全部）'],
    ['Global operation log', 'Nhật ký toàn hệ thống', '全局操作日志'],
  ],
  ['operation-log-manage', ['Operation', 'Vận hành', '运维管理'], ['Operations', 'Vận hành', '运维管理']],
  ['configurePushList', ['Configurations', 'Cấu hình', '配置推送'], ['Configurations', 'Cấu hình', '配置']],
  [
    'softwareReport',
    ['Software report', 'Báo cáo phần mềm', '软件报告'],
    ['Software report', 'Báo cáo phần mềm', '软件报表'],
  ],
  [
    'deviceDetailConfig',
    ['Configuration of a device', 'Cấu hình thiết bị', '设备配置'],
    ['Device configuration', 'Cấu hình thiết bị', '设备配置'],
  ],
  [
    'deviceDetailApp',
    ['Apps of a device', 'Ứng dụng trên thiết bị', '设备应用'],
    ['Device apps', 'Ứng dụng trên thiết bị', '设备应用'],
  ],
  [
    'deviceDetailFileManager',
    ['Files of a device', 'Tệp trên thiết bị', '设备文件'],
    ['Device files', 'Tệp trên thiết bị', '设备文件'],
  ],
  [
    'deviceDetailLocation',
    ['Location of a device', 'Vị trí thiết bị', '设备位置'],
    ['Device location', 'Vị trí thiết bị', '设备位置'],
  ],
  [
    'deviceDetailRun',
    ['Running information', 'Thông tin vận hành', '运行信息'],
    ['Operating information', 'Thông tin vận hành', '运行信息'],
  ],
  [
    'platformApkAddVersion',
    ['Add version of a platform app', 'Thêm phiên bản ứng dụng nền tảng', '添加平台应用版本'],
    ['Add platform app version', 'Thêm phiên bản ứng dụng nền tảng', '添加平台应用版本'],
  ],
  [
    'platformApkEditVersion',
    ['Edit version of a platform app', 'Sửa phiên bản ứng dụng nền tảng', '编辑平台应用版本'],
    ['Edit platform app version', 'Sửa phiên bản ứng dụng nền tảng', '编辑平台应用版本'],
  ],
  [
    'userManageSubAccountManageAdd',
    ['Add sub-account', 'Thêm tài khoản con', '添加子账号'],
    ['Create sub-account', 'Tạo tài khoản con', '新建子账号'],
  ],
  [
    'userOsCustomApp',
    ['App info', 'Thông tin ứng dụng', '应用信息'],
    ['App information', 'Thông tin ứng dụng', '应用信息'],
  ],
  [
    'osIssueUploadOs',
    ['Upload OS packages', 'Tải gói OS lên', '上传 OS 包'],
    ['Upload OS packages', 'Tải gói OS lên', '上传 OS 安装包'],
  ],
  [
    'osIssueReleaseOs',
    ['Choose who gets it', 'Chọn phạm vi phát hành', '选择开放范围'],
    ['Choose recipients', 'Chọn phạm vi phát hành', '选择开放范围'],
  ],
  [
    'osIssueIssueCreateOsEdit',
    ['Create OS version (edit)', 'Tạo phiên bản OS (sửa)', '新建 OS 版本（编辑）'],
    ['Edit OS version', 'Sửa phiên bản OS', '编辑 OS 版本'],
  ],
  [
    'osIssueUploadOsEdit',
    ['Upload OS packages (edit)', 'Tải gói OS lên (sửa)', '上传 OS 包（编辑）'],
    ['Edit OS packages', 'Sửa gói OS', '编辑 OS 安装包'],
  ],
  [
    'osIssueReleaseOsEdit',
    ['Choose who gets it (edit)', 'Chọn phạm vi phát hành (sửa)', '选择开放范围（编辑）'],
    ['Change recipients', 'Đổi phạm vi phát hành', '更改开放范围'],
  ],
  [
    'osIssueCompleteOsEdit',
    ['Release OS version (edit)', 'Phát hành phiên bản OS (sửa)', '发布 OS 版本（编辑）'],
    ['Review and release OS version', 'Xem lại và phát hành phiên bản OS', '检查并发布 OS 版本'],
  ],
]
const stored = ([en, vi, zh]: Name) => JSON.stringify({ en, vi, 'zh-cn': zh })

/** A name that somebody has changed stays. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [code, old, name] of renamed) {
    await sql`
      UPDATE menu_tree SET name = ${stored(name)}::jsonb
      WHERE code = ${code} AND is_seeded AND name = ${stored(old)}::jsonb
    `.execute(db)
  }
}
