import type { texts as english } from './en.ts'
import type { Translated } from '../../../i18n/resources.ts'

export const texts: Translated<typeof english> = {
  group: {
    label: 'Nhóm',
    choose: 'Chọn nhóm',
    none: 'Chưa có nhóm',
    all: 'Tất cả thiết bị',
    root: 'Cấp cao nhất',
    not_found: 'Không có nhóm nào tên như vậy',
  },
  lost: 'Thất lạc',
  quarantined: 'Bị cách ly',
  quarantined_hint: 'Hai máy đang dùng khóa bí mật. Hãy mở thiết bị và cấp lại khóa.',
  asleep: 'Đang ngủ',
  asleep_hint: 'Trình duyệt đã cho trang tạm ngủ. Thiết bị tự kết nối lại khi trang được mở ra.',
  network: {
    wifi: 'Wi-Fi',
    mobile: 'Di động',
    ethernet: 'Ethernet',
    none: 'Không kết nối',
  },
  signal: {
    '0': 'Không có sóng',
    '1': 'Yếu',
    '2': 'Trung bình',
    '3': 'Tốt',
    '4': 'Rất tốt',
  },
  signal_label: '{{word}}, {{dbm}} dBm',
  charging: {
    charging: 'Đang sạc',
    discharging: 'Đang dùng pin',
    full: 'Đầy',
    low: 'Yếu',
  },
  battery_label: 'Pin {{level}}%',
  and_more_other: 'và {{count}} thiết bị khác',
  targets_other: '{{count}} thiết bị',
  offline_all_other:
    'Thiết bị đang ngoại tuyến ({{count}}). Lệnh được thực hiện khi thiết bị trực tuyến trở lại, trong vòng {{days}} ngày.',
  unable_other: '{{count}} thiết bị bị bỏ qua: phần mềm quản lý không làm được.',
  offline_some_other:
    '{{count}} thiết bị trong số đó đang ngoại tuyến và sẽ thực hiện khi trực tuyến trở lại, trong vòng {{days}} ngày.',
  push: {
    button: 'Đẩy',
    more: 'Tùy chọn khác…',
    more_of_row: 'Tùy chọn đẩy khác…',
    group: 'Đẩy đến cả nhóm',
  },
  /** What a push of each kind does, for the wizard, and for the short dialog of those that have one. */
  kinds: {
    message: {
      what: 'Hiển thị tin nhắn trên màn hình thiết bị.',
      submit_other: 'Gửi đến {{count}} thiết bị',
      dialog: {
        title_other: 'Gửi tin nhắn đến {{count}} thiết bị',
        submit_other: 'Gửi đến {{count}} thiết bị',
        subject: 'Tiêu đề',
        text: 'Nội dung',
        text_hint: 'Hiển thị trên màn hình thiết bị, nhiều nhất 2.000 ký tự.',
      },
    },
    file: {
      what: 'Thiết bị tải tệp từ kho tệp xuống và kiểm tra.',
      submit_other: 'Đẩy đến {{count}} thiết bị',
    },
    config_file: {
      what: 'Thiết bị tải tệp cấu hình xuống, kiểm tra rồi đọc.',
      submit_other: 'Đẩy đến {{count}} thiết bị',
    },
    app_install: {
      what: 'Thiết bị tải ứng dụng từ kho xuống, kiểm tra rồi cài đặt; ứng dụng phụ thuộc được cài trước.',
      submit_other: 'Đẩy đến {{count}} thiết bị',
    },
    app_uninstall: {
      what: 'Gỡ ứng dụng khỏi thiết bị cùng dữ liệu của chúng.',
      submit_other: 'Gỡ khỏi {{count}} thiết bị',
    },
    lock: {
      what: 'Khóa màn hình cho đến khi có người mở bằng mật khẩu.',
      submit_other: 'Khóa {{count}} thiết bị',
      dialog: {
        title_other: 'Khóa màn hình {{count}} thiết bị',
        submit_other: 'Khóa {{count}} thiết bị',
        password: 'Mật khẩu mở khóa',
        password_hint:
          'Không bắt buộc. Ít nhất 4 chữ số. Nếu để trống, màn hình được khóa bằng mật khẩu sẵn có của thiết bị.',
        digits: 'Chỉ gồm chữ số, ít nhất {{min}}.',
      },
    },
    find: {
      what: 'Thiết bị đổ chuông với âm lượng lớn nhất.',
      submit_other: 'Đổ chuông {{count}} thiết bị',
      dialog: {
        title_other: 'Tìm {{count}} thiết bị',
        submit_other: 'Đổ chuông {{count}} thiết bị',
        seconds: 'Thời gian đổ chuông',
        seconds_hint: 'Từ 2 đến 600 giây, âm lượng lớn nhất.',
        unit: 'giây',
      },
    },
    restart: {
      what: 'Người đang dùng sẽ bị gián đoạn và dữ liệu chưa lưu sẽ mất.',
      submit_other: 'Khởi động lại {{count}} thiết bị',
      dialog: {
        title_other: 'Khởi động lại {{count}} thiết bị?',
        submit_other: 'Khởi động lại {{count}} thiết bị',
        what: 'Người đang dùng sẽ bị gián đoạn và dữ liệu chưa lưu sẽ mất.',
      },
    },
    shutdown: {
      what: 'Dữ liệu chưa lưu sẽ mất và phải có người bật lại thiết bị tại chỗ.',
      submit_other: 'Tắt {{count}} thiết bị',
      dialog: {
        title_other: 'Tắt {{count}} thiết bị?',
        submit_other: 'Tắt {{count}} thiết bị',
        what: 'Người đang dùng sẽ bị gián đoạn và dữ liệu chưa lưu sẽ mất. Phải có người bật lại thiết bị tại chỗ.',
      },
    },
    factory_reset: {
      what: 'Mọi ứng dụng, tệp và cài đặt trên thiết bị sẽ bị xóa. Không thể hoàn tác.',
      submit_other: 'Khôi phục {{count}} thiết bị',
      dialog: {
        title_other: 'Khôi phục cài đặt gốc cho {{count}} thiết bị?',
        submit_other: 'Khôi phục {{count}} thiết bị',
        what_other: 'Toàn bộ ứng dụng, tệp và cài đặt trên thiết bị sẽ bị xóa. Không thể hoàn tác.',
      },
    },
    screenshot: {
      what: 'Thiết bị chụp màn hình và gửi ảnh về.',
      submit_other: 'Chụp {{count}} màn hình',
    },
    remote_log: {
      what: 'Thiết bị gửi nhật ký dưới dạng tệp gzip, tối đa 16 MiB.',
      submit_other: 'Lấy {{count}} nhật ký',
      dialog: {
        title_other: 'Lấy nhật ký của {{count}} thiết bị',
        submit_other: 'Lấy {{count}} nhật ký',
        what: 'Nhật ký là tệp gzip, tối đa 16 MiB. Sau khi thiết bị gửi, bạn xem tệp trong tác vụ của từng thiết bị.',
      },
    },
    os: {
      what: 'Thiết bị tải phiên bản, kiểm tra chữ ký, khởi động vào phiên bản mới và giữ lại sau khi báo cáo thành công.',
      submit_other: 'Cập nhật {{count}} thiết bị',
    },
  },
  rename: {
    title: 'Đổi tên {{sn}}',
    alias: 'Tên gợi nhớ',
    hint: 'Nhiều nhất 36 ký tự, không có dấu phần trăm. Để trống thì hiển thị lại SN.',
    submit: 'Lưu tên gợi nhớ',
    done: 'Đã lưu tên gợi nhớ',
    too_long: 'Nhiều nhất {{max}} ký tự.',
    percent: 'Không được dùng dấu phần trăm.',
  },
  move: {
    title_other: 'Chuyển {{count}} thiết bị sang nhóm',
    submit_other: 'Chuyển {{count}} thiết bị',
    done: 'Đã chuyển',
    hint: 'Mỗi thiết bị chỉ thuộc nhiều nhất một nhóm.',
  },
  scrap: {
    title_other: 'Loại bỏ {{count}} thiết bị?',
    submit_other: 'Loại bỏ {{count}} thiết bị',
    keep_other: 'Giữ lại thiết bị',
    done_other: 'Đã loại bỏ {{count}} thiết bị',
    what_other:
      'Thiết bị rời khỏi tài khoản cùng với lịch sử và tác vụ của nó. Không ai có thể đăng ký lại SN này; chỉ nhà cung cấp mới khôi phục được.',
  },
  cancel: {
    title_other: 'Hủy đăng ký {{count}} thiết bị?',
    submit_other: 'Hủy đăng ký {{count}} thiết bị',
    keep_other: 'Giữ lại thiết bị',
    done_other: 'Đã hủy đăng ký {{count}} thiết bị',
    what_other: 'Thiết bị rời khỏi tài khoản cùng với lịch sử và tác vụ của nó, và có thể được đăng ký lại.',
  },
}
