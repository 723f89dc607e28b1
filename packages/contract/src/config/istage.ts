import * as z from 'zod'
import { Line, text, wrong } from '../wire.ts'
import { line, secret, section, shapedLine } from './kit.ts'
import { configTypes } from './names.ts'

/** More would leave no room for the other sections in one packet of the device link. */
export const pushed_istage_characters = 100_000

/** A configuration of iStage, as it was when it was saved here: a later change of it reaches devices when it is saved again. */
export const istage = section({
  type: configTypes.istage,
  title: text('iStage configuration', 'Cấu hình iStage', 'iStage 配置'),
  hint: text(
    'A completed configuration of iStage, as it is when it is saved here.',
    'Một cấu hình iStage đã hoàn chỉnh, theo nội dung lúc lưu.',
    '已完成的 iStage 配置，以保存时的内容为准。',
  ),
  capability: 'istage',
  takes_hold: true,
  fields: {
    config_kid: shapedLine(
      text('Configuration', 'Cấu hình', '配置'),
      Line(36, 1).refine((kid) => z.uuid().safeParse(kid).success, wrong('istage_unknown')),
      { is_istage: true },
    ),
    name: line(text('Name', 'Tên', '名称'), 60, 0, { is_derived: true }),
    type: line(text('Type', 'Loại', '类型'), 20, 0, { is_derived: true }),
    version: line(text('Version', 'Phiên bản', '版本'), 48, 0, { is_derived: true }),
    private_content: secret(
      text('Content, as JSON', 'Nội dung, dạng JSON', '内容（JSON）'),
      z.string().max(pushed_istage_characters),
      { is_derived: true },
    ),
  },
})
