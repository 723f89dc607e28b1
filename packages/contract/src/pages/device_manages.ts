import { text } from '../wire.ts'
import { page, pageGroup } from './kit.ts'

export const deviceManages = pageGroup(
  'device-manages',
  text('Devices', 'Thiết bị', '设备管理'),
  { icon: 'device', end_type: 1 },
  {
    deviceList: page('/device-list', text('Device list', 'Danh sách thiết bị', '设备列表'), {
      icon: 'device-list',
      operations: {
        register: text('Register devices', 'Đăng ký thiết bị', '注册设备'),
        qrcode: text('Permanent and set-up QR codes', 'Mã QR cố định và mã cài đặt', '永久二维码与初始化二维码'),
        edit: text('Edit devices', 'Sửa thiết bị', '编辑设备'),
        move: text('Move devices', 'Di chuyển thiết bị', '移动设备'),
        cancel: text('Deregister or scrap devices', 'Hủy đăng ký hoặc loại bỏ thiết bị', '注销或报废设备'),
        group: text('Manage groups', 'Quản lý nhóm', '管理分组'),
        field: text('Manage device fields', 'Quản lý trường thiết bị', '管理设备字段'),
      },
    }),
    pushTaskList: page('/push-task-list', text('Push tasks', 'Tác vụ đẩy', '推送任务'), {
      icon: 'push-tasks',
      operations: {
        control: text(
          'Pause and resume pushes and change planned ones',
          'Tạm dừng, tiếp tục lượt đẩy và sửa lượt đẩy đã lên lịch',
          '暂停、继续推送及修改计划推送',
        ),
        approve: text('Approve pushes of others', 'Phê duyệt lượt đẩy của người khác', '批准他人的推送'),
        schedule: text('Manage recurring pushes', 'Quản lý lượt đẩy định kỳ', '管理周期推送'),
        template: text('Manage push templates', 'Quản lý mẫu lượt đẩy', '管理推送模板'),
        window: text('Manage maintenance windows', 'Quản lý khung bảo trì', '管理维护时段'),
        setting: text('Change the push settings', 'Đổi thiết lập đẩy', '修改推送设置'),
      },
    }),
    pushTaskAdd: page('/push-task-add', text('New push', 'Lượt đẩy mới', '新建推送'), {
      needs: 'signed_in',
      parent: 'pushTaskList',
    }),
    pushTaskEdit: page('/push-task-edit', text('Edit push', 'Sửa lượt đẩy', '编辑推送'), {
      needs: 'signed_in',
      parent: 'pushTaskList',
      record: 'kid',
    }),
    pushTaskDetail: page('/push-task-detail', text('Push task', 'Tác vụ đẩy', '推送任务'), {
      needs: 'signed_in',
      parent: 'pushTaskList',
      record: 'kid',
    }),
    alertList: page('/alert-list', text('Alerts', 'Cảnh báo', '告警'), {
      icon: 'bell',
      operations: {
        handle: text(
          'Acknowledge, assign, silence and resolve alerts',
          'Xác nhận, giao, tắt thông báo và giải quyết cảnh báo',
          '确认、分配、静默和解决告警',
        ),
      },
    }),
    alertRuleList: page('/alert-rule-list', text('Alert rules', 'Quy tắc cảnh báo', '告警规则'), {
      parent: 'alertList',
      operations: { edit: text('Edit alert rules', 'Sửa quy tắc cảnh báo', '编辑告警规则') },
    }),
    deviceDetailInfo: page('/device-detail/info', text('Device information', 'Thông tin thiết bị', '设备信息'), {
      parent: 'deviceList',
      record: 'kid',
      operations: {
        lock: text('Lock the screen', 'Khóa màn hình', '锁屏'),
        find: text('Find the device', 'Tìm thiết bị', '查找设备'),
        lost: text('Manage lost devices', 'Quản lý thiết bị thất lạc', '管理丢失的设备'),
        restart: text('Restart', 'Khởi động lại', '重启'),
        shutdown: text('Shut down', 'Tắt máy', '关机'),
        factoryReset: text('Factory reset', 'Khôi phục cài đặt gốc', '恢复出厂设置'),
        remoteLog: text('Fetch the log by a task', 'Lấy nhật ký bằng tác vụ', '通过任务获取日志'),
      },
    }),
    deviceDetailTask: page('/device-detail/task', text('Device tasks', 'Tác vụ của thiết bị', '设备任务'), {
      parent: 'deviceList',
      record: 'kid',
      operations: {
        cancel: text('Cancel tasks', 'Hủy tác vụ', '取消任务'),
        retry: text('Retry tasks', 'Thử lại tác vụ', '重试任务'),
      },
    }),
    deviceDetailPushMessage: page('/device-detail/push-message', text('Push message', 'Gửi tin nhắn', '推送消息'), {
      parent: 'deviceList',
      record: 'kid',
      operations: { push: text('Push a message', 'Gửi tin nhắn', '推送消息') },
    }),
    deviceDetailConfig: page('/device-detail/config', text('Device configuration', 'Cấu hình thiết bị', '设备配置'), {
      parent: 'deviceList',
      record: 'kid',
      operations: {
        edit: text('Configure devices', 'Cấu hình thiết bị', '配置设备'),
        group: text('Configure groups and the account', 'Cấu hình nhóm và tài khoản', '配置分组和账号'),
      },
    }),
    deviceDetailApp: page('/device-detail/app', text('Device apps', 'Ứng dụng trên thiết bị', '设备应用'), {
      parent: 'deviceList',
      record: 'kid',
      operations: {
        uninstall: text('Uninstall apps', 'Gỡ ứng dụng', '卸载应用'),
        permission: text('Set permissions of apps', 'Đặt quyền của ứng dụng', '设置应用权限'),
      },
    }),
    deviceDetailFileManager: page(
      '/device-detail/file-manager',
      text('Device files', 'Tệp trên thiết bị', '设备文件'),
      {
        parent: 'deviceList',
        record: 'kid',
        operations: { write: text('Change files on devices', 'Thay đổi tệp trên thiết bị', '修改设备文件') },
      },
    ),
    deviceDetailRun: page('/device-detail/run', text('Operating information', 'Thông tin vận hành', '运行信息'), {
      parent: 'deviceList',
      record: 'kid',
      operations: { log: text('Fetch logs', 'Lấy nhật ký', '获取日志') },
    }),
    deviceDetailEvent: page('/device-detail/event', text('Device events', 'Sự kiện thiết bị', '设备事件'), {
      parent: 'deviceList',
      record: 'kid',
    }),
    deviceDetailLocation: page('/device-detail/location', text('Device location', 'Vị trí thiết bị', '设备位置'), {
      parent: 'deviceList',
      record: 'kid',
      operations: { refresh: text('Ask for the position', 'Yêu cầu báo vị trí', '刷新位置') },
    }),
    deviceDetailRemote: page('/device-detail/remote', text('Remote hands', 'Điều khiển từ xa', '远程协助'), {
      parent: 'deviceList',
      record: 'kid',
      operations: {
        control: text('Control the screen', 'Điều khiển màn hình', '控制屏幕'),
        terminal: text('Open a shell', 'Mở dòng lệnh', '打开终端'),
        log: text('Follow the log', 'Theo dõi nhật ký', '查看实时日志'),
      },
    }),
    remoteSessionList: page('/remote-session-list', text('Remote sessions', 'Phiên từ xa', '远程会话'), {
      icon: 'screen',
      operations: {
        watch: text('Watch recordings', 'Xem bản ghi', '查看录像'),
        delete: text('Delete recordings', 'Xóa bản ghi', '删除录像'),
        settings: text('Change how devices may be opened', 'Thay đổi cách mở thiết bị', '修改远程设置'),
      },
    }),
    deviceDetailFsCapture: page('/device-detail/fs-capture', text('Screenshots', 'Ảnh chụp màn hình', '截屏'), {
      parent: 'deviceList',
      record: 'kid',
      operations: { capture: text('Take a screenshot', 'Chụp màn hình', '截屏') },
    }),
  },
)
