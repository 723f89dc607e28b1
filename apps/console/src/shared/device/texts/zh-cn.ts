import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  group: {
    label: '分组',
    choose: '选择分组',
    none: '未分组',
    all: '全部设备',
    root: '顶级',
    not_found: '没有此名称的分组',
  },
  lost: '已丢失',
  quarantined: '已隔离',
  quarantined_hint: '有两台机器正在使用密钥。请打开设备并更换密钥。',
  asleep: '休眠中',
  asleep_hint: '浏览器已让页面休眠。再次显示页面后，设备会自动恢复连接。',
  network: {
    wifi: 'Wi-Fi',
    mobile: '移动网络',
    ethernet: '以太网',
    none: '未连接',
  },
  signal: {
    '0': '无信号',
    '1': '弱',
    '2': '一般',
    '3': '良好',
    '4': '极好',
  },
  signal_label: '{{word}}，{{dbm}} dBm',
  charging: {
    charging: '充电中',
    discharging: '使用电池',
    full: '已充满',
    low: '电量低',
  },
  battery_label: '电量 {{level}}%',
  and_more_other: '以及另外 {{count}} 台',
  targets_other: '{{count}} 台设备',
  offline_all_other: '{{count}} 台设备均已离线，将在 {{days}} 天内重新上线时执行。',
  unable_other: '其中 {{count}} 台被排除：其管理程序不支持。',
  offline_some_other: '其中 {{count}} 台离线，将在 {{days}} 天内重新上线时执行。',
  push: {
    button: '推送',
    more: '更多选项…',
    more_of_row: '更多推送选项…',
    group: '推送到此分组',
  },
  /** What a push of each kind does, for the wizard, and for the short dialog of those that have one. */
  kinds: {
    message: {
      what: '在设备屏幕上显示一条消息。',
      submit_other: '发送到 {{count}} 台设备',
      dialog: {
        title_other: '向 {{count}} 台设备发送消息',
        submit_other: '发送到 {{count}} 台设备',
        subject: '标题',
        text: '内容',
        text_hint: '显示在设备屏幕上，最多 2,000 个字符。',
      },
    },
    file: {
      what: '设备从文件云下载文件并校验。',
      submit_other: '推送到 {{count}} 台设备',
    },
    config_file: {
      what: '设备下载配置文件，校验后读取。',
      submit_other: '推送到 {{count}} 台设备',
    },
    app_install: {
      what: '设备下载、校验并安装应用中心的应用，所依赖的应用会先安装。',
      submit_other: '推送到 {{count}} 台设备',
    },
    app_uninstall: {
      what: '从设备卸载应用及其数据。',
      submit_other: '从 {{count}} 台设备卸载',
    },
    lock: {
      what: '锁定屏幕，直到有人用密码解锁。',
      submit_other: '锁定 {{count}} 台设备',
      dialog: {
        title_other: '锁定 {{count}} 台设备的屏幕',
        submit_other: '锁定 {{count}} 台设备',
        password: '解锁密码',
        password_hint: '选填，至少 4 位数字。不填则使用设备原有的密码锁屏。',
        digits: '只能是数字，至少 {{min}} 位。',
      },
    },
    find: {
      what: '设备以最大音量响铃。',
      submit_other: '让 {{count}} 台设备响铃',
      dialog: {
        title_other: '查找 {{count}} 台设备',
        submit_other: '让 {{count}} 台设备响铃',
        seconds: '响铃时长',
        seconds_hint: '2 到 600 秒，最大音量。',
        unit: '秒',
      },
    },
    restart: {
      what: '正在使用的人会被打断，未保存的内容会丢失。',
      submit_other: '重启 {{count}} 台设备',
      dialog: {
        title_other: '重启 {{count}} 台设备？',
        submit_other: '重启 {{count}} 台设备',
        what: '正在使用的人会被打断，未保存的内容会丢失。',
      },
    },
    shutdown: {
      what: '未保存的内容会丢失，关机后需要有人在现场重新开机。',
      submit_other: '关闭 {{count}} 台设备',
      dialog: {
        title_other: '关闭 {{count}} 台设备？',
        submit_other: '关闭 {{count}} 台设备',
        what: '正在使用的人会被打断，未保存的内容会丢失。关机后需要有人在现场重新开机。',
      },
    },
    factory_reset: {
      what: '设备上的所有应用、文件和设置都会被清除，且无法恢复。',
      submit_other: '将 {{count}} 台设备恢复出厂',
      dialog: {
        title_other: '将 {{count}} 台设备恢复出厂设置？',
        submit_other: '将 {{count}} 台设备恢复出厂',
        what_other: '设备上的所有应用、文件和设置都将被清除，且无法恢复。',
      },
    },
    screenshot: {
      what: '设备截取屏幕并上传图片。',
      submit_other: '截取 {{count}} 台设备',
    },
    remote_log: {
      what: '设备上传 gzip 格式的日志，最大 16 MiB。',
      submit_other: '获取 {{count}} 份日志',
      dialog: {
        title_other: '获取 {{count}} 台设备的日志',
        submit_other: '获取 {{count}} 份日志',
        what: '日志为 gzip 文件，最大 16 MiB。设备上传后，可在该设备的任务中查看。',
      },
    },
    os: {
      what: '设备下载该版本并校验签名，重启进入新版本，成功上报后才会保留。',
      submit_other: '更新 {{count}} 台设备',
    },
  },
  rename: {
    title: '重命名 {{sn}}',
    alias: '别名',
    hint: '最多 36 个字符，不能包含百分号。留空则重新显示 SN。',
    submit: '保存别名',
    done: '别名已保存',
    too_long: '最多 {{max}} 个字符。',
    percent: '不能包含百分号。',
  },
  move: {
    title_other: '移动 {{count}} 台设备到分组',
    submit_other: '移动 {{count}} 台设备',
    done: '已移动',
    hint: '一台设备最多属于一个分组。',
  },
  scrap: {
    title_other: '报废 {{count}} 台设备？',
    submit_other: '报废 {{count}} 台设备',
    keep_other: '保留设备',
    done_other: '已报废 {{count}} 台设备',
    what_other: '设备将连同其历史记录和任务离开本账号，其 SN 任何人都无法再注册，只有服务商可以恢复。',
  },
  cancel: {
    title_other: '注销 {{count}} 台设备？',
    submit_other: '注销 {{count}} 台设备',
    keep_other: '保留设备',
    done_other: '已注销 {{count}} 台设备',
    what_other: '设备将连同其历史记录和任务离开本账号，之后可以重新注册。',
  },
}
