import type { texts as english } from '../en/sign-in.ts'
import type { Translated } from '../resources.ts'

export const texts: Translated<typeof english> = {
  title: '登录',
  lead: '所有手持终端，尽在一处。',
  username: '登录名',
  password: '密码',
  show: '显示密码',
  hide: '隐藏密码',
  submit: '登录',
  busy: '正在登录…',
  username_required: '请输入登录名。',
  password_required: '请输入密码。',
  puzzle_required: '请将拼图滑到缺口处。',
  puzzle: '安全验证',
  puzzle_hint: '向右滑动，填补缺口',
  puzzle_keys: '拼图位置；使用方向键移动，回车确认',
  puzzle_done: '验证通过',
  puzzle_again: '换一张',
  puzzle_alt: '带缺口的图片',
  caps: '大写锁定已开启',
}
